/* Connections to rank processes and keepers of this machine: frames in and out, on the libuv
 * loop. A link is a struct host_link (host.h). */
#ifndef MATCHPOINT_SCHEDULER_HOST_LINK_H
#define MATCHPOINT_SCHEDULER_HOST_LINK_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

#include "host.h"

struct link_options {
	struct host *host;
	uv_loop_t *loop;
	const char *directory; /* the run directory with the socket; outlives the server */
	const struct host_listener *listener;
	void *user;
};

/* Listens on the socket. Each connection becomes a link, which is reported to the listener.
 * Returns NULL with `error` set. */
struct link_server;
struct link_server *link_listen(const struct link_options *options, GError **error);
/* Closes the socket and every link that was accepted there. */
void link_server_close(struct link_server *server);

/* As in struct host_operations. */
void link_send(struct host_link *link, const struct wire_message *message);
void link_send_off(struct link_server *server);
void link_close(struct host_link *link);
bool link_has_unread(const struct host_link *link);

/* Returns its socket; -1: it is closed. */
int link_socket(const struct host_link *link);

#endif
