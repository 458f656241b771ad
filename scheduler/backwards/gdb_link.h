/* The connection to gdb: packets in and out, and Ctrl-C in between. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_GDB_LINK_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_GDB_LINK_H

#include <glib.h>
#include <stdbool.h>

struct gdb_link;

struct gdb_link *gdb_link_new(void);
/* Takes over the connected socket. */
void gdb_link_open(struct gdb_link *link, int fd);
/* Closes the socket. NULL is legal. */
void gdb_link_free(struct gdb_link *link);

/* Waits for the next packet. False: gdb is gone, or what comes is no protocol. */
bool gdb_link_receive(struct gdb_link *link, GString *ret_packet);
void gdb_link_send(struct gdb_link *link, const GString *packet);
/* Whether the connection has ended, as far as is known. */
bool gdb_link_is_gone(const struct gdb_link *link);
/* Without acknowledgements from now on. */
void gdb_link_trust(struct gdb_link *link);

/* While gdb waits for an answer: whether the user has pressed Ctrl-C, or gdb is gone. The former is
 * told once. `user` is the link: for struct interrupt. */
bool gdb_link_is_interrupted(void *user);

#endif
