/* Connections to rank processes and keepers of this machine: frames in, frames out, on the libuv
 * loop. The links are struct host_link: see there. */
#ifndef MATCHPOINT_SCHEDULER_HOST_LINK_H
#define MATCHPOINT_SCHEDULER_HOST_LINK_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

#include "host.h"

struct link_options {
	struct host *host;
	uv_loop_t *loop;
	const char *directory; /* the run directory, where the socket is; outlives the listener */
	const struct host_listener *listener;
	void *user;
};

/* Listens there; each connection becomes a link, to be told to the listener. NULL with `error` set.
 */
struct link_server;
struct link_server *link_listen(const struct link_options *options, GError **error);
/* Closes the socket and every link that came through it. */
void link_server_close(struct link_server *server);

/* As in struct host_operations. */
void link_send(struct host_link *link, const struct wire_message *message);
void link_send_off(struct link_server *server);
void link_close(struct host_link *link);
bool link_has_unread(const struct host_link *link);

/* Its socket; -1: it has none any more. */
int link_socket(const struct host_link *link);

#endif
