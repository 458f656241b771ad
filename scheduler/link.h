/* One connection to a rank process or keeper: frames in, frames out, on the libuv loop. */
#ifndef MATCHPOINT_SCHEDULER_LINK_H
#define MATCHPOINT_SCHEDULER_LINK_H

#include <glib.h>
#include <uv.h>

#include "../shim/wire.h"

struct link;

struct link_handler {
	/* A whole message has come. The handler may close the link. */
	void (*message)(struct link *link, const struct wire_message *message);
	/* The peer is gone, or sent what is no message (`why`, else NULL). The link is freed when
	 * the handler has returned; it is not called for link_close. */
	void (*closed)(struct link *link, const char *why);
};

/* Listens on the Unix socket `path`; each connection becomes a link with that handler and with
 * `user` as its first owner. NULL with `error` set. */
struct link_listener;
struct link_listener *link_listen(uv_loop_t *loop, const char *path,
                                  const struct link_handler *handler, void *user, GError **error);
/* Closes the socket and every link that came through it. */
void link_listener_close(struct link_listener *listener);

/* Sent at once or, while messages are being read, with all that these set off; nothing happens when
 * the link is NULL or closing. A peer that is gone is told by `closed`. */
void link_send(struct link *link, const struct wire_message *message);
void link_close(struct link *link);

/* Whom the link belongs to: the session at first, then a rank of an execution, then perhaps a
 * keeper. `index` is the rank. */
enum link_role { LINK_NEW, LINK_RANK, LINK_KEEPER, LINK_IGNORED };
void link_assign(struct link *link, enum link_role role, void *owner, int index);
enum link_role link_role(const struct link *link);
void *link_owner(const struct link *link);
/* Whether something has come that has not been handed out yet. */
gboolean link_has_unread(const struct link *link);

/* Its socket; -1: it has none any more. */
int link_socket(const struct link *link);
int link_index(const struct link *link);

#endif
