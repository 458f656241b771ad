/* Requests to a session from outside: the socket `control` in its run directory. The directory is
 * the user's alone, and processes of other users are refused.
 *
 * A request is two lines: the name of a checkpoint, and its folder, each possibly empty. The answer
 * is lines of text, of which the first begins with "saved " or "problem ", until the end of the
 * connection. */
#ifndef MATCHPOINT_SCHEDULER_HOST_CONTROL_H
#define MATCHPOINT_SCHEDULER_HOST_CONTROL_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

/* --- in the session --------------------------------------------------------------------------- */

struct control_request {
	const char *name, *folder; /* "": none was given */
};

struct control_owner {
	/* The request is there until it is answered, or `gone` was called. From a turn of the
	 * loop. */
	void (*asked)(void *user, const struct control_request *request);
	void (*gone)(void *user, const struct control_request *request);
	void *user;
};

/* Listens at `path`. `owner` must outlive it. Returns NULL with `error` set. */
struct control;
struct control *control_new(uv_loop_t *loop, const char *path, const struct control_owner *owner,
                            GError **error);
/* Open requests get an empty answer. It is freed in a later turn of the loop. NULL is legal. */
void control_free(struct control *control);

/* Writes the answer, and frees the request. */
void control_answer(const struct control_request *request, const char *text);

/* --- outside ---------------------------------------------------------------------------------- */

/* The socket of the session that is process `pid`: free with g_free. NULL: it has none, or is
 * another user's. */
char *control_find(pid_t pid);

/* Sends a request, and waits for the answer, at most so many seconds. Free with g_free. NULL with
 * `error` set. */
char *control_ask(const char *path, const struct control_request *request, int seconds,
                  GError **error);

#endif
