/* gdb's remote target for one replayed process that can go backwards. It serves one front end, and
 * returns when that is gone; then no process is left. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_SERVER_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_SERVER_H

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

#include "replayer.h"

struct target; /* target.h */

struct server_options {
	struct replayer replayer;
	const char *path; /* of a Unix socket; NULL: a port of this machine alone */
	int port;         /* 0: any that is free */
	/* The signal mask during the wait for gdb; NULL: the caller's. What the caller blocks and
	 * this does not ends the wait, also if it came before. */
	const sigset_t *waiting;
	guint64 every; /* leave a keeper at every n-th MPI call before gdb begins; 0: none */
	/* Called once, when gdb can connect. May start gdb; then it returns a descriptor, which it
	 * owns, that can be read from when gdb has ended. -1: nobody can tell. */
	int (*listens)(void *user, struct target *target, int port);
	/* Called once, when gdb has connected: the socket's path can be removed. May be NULL. */
	void (*connected)(void *user);
	void *user;
};

/* Returns false with `error` set if it could not begin, or had to end before gdb did. */
bool server_serve(const struct server_options *options, GError **error);

#define SERVER_ERROR (server_error_quark())
GQuark server_error_quark(void);
enum server_error {
	SERVER_FAILED,
	SERVER_UNUSED, /* nobody connected */
};

#endif
