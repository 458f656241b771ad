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

/* A link whose process is on another machine: its bytes go through these functions. */
struct link_carrier {
	void (*write)(void *data, const guint8 *bytes, gsize count);
	void (*close)(void *data); /* the link is closed; `data` is not used any more */
	bool (*has_unread)(void *data);
	/* A message has arrived, and may be changed before it is delivered. */
	void (*arrive)(void *data, struct wire_message *message);
};

/* link_carried returns a new link. link_arrived gives it bytes that the process has sent; link_lost
 * reports that the process is gone, or has sent something else (`why`, else NULL). */
struct host_link *link_carried(struct link_server *server, const struct link_carrier *carrier,
                               void *data);
void link_arrived(struct host_link *link, const guint8 *bytes, gsize count);
void link_lost(struct host_link *link, const char *why);
/* Returns `data`; NULL: the process is on this machine. */
void *link_carried_data(const struct host_link *link);

/* Returns its socket; -1: it is closed, or has none. */
int link_socket(const struct host_link *link);

#endif
