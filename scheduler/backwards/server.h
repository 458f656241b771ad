/* gdb's remote target for one replayed process that can go backwards. It serves one gdb, and
 * returns when that is gone; then no process is left. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_SERVER_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_SERVER_H

#include <glib.h>
#include <stdbool.h>

struct target; /* target.h */

struct server_options {
	/* The program that calls agent_marks_begin (keepers.h); the environment: NULL: this
	 * process's. */
	char **argv;
	char **environment;
	int port;      /* on this machine alone; 0: any that is free */
	guint64 every; /* leave a keeper at every n-th MPI call before gdb begins; 0: none */
	/* Called once, when gdb can connect. */
	void (*listens)(void *user, struct target *target, int port);
	void *user;
};

/* Returns false with `error` set if it could not begin, or had to end before gdb did. */
bool server_serve(const struct server_options *options, GError **error);

#define SERVER_ERROR (server_error_quark())
GQuark server_error_quark(void);

#endif
