/* One rank of a recording under gdb, forwards and backwards (docs/internals/backwards.md). */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_REPLAY_GDB_H
#define MATCHPOINT_SCHEDULER_RECORDING_REPLAY_GDB_H

#include <glib.h>
#include <stdbool.h>

#include "common/recording.h"

struct replay_gdb_options {
	const char *directory;
	int rank;
	/* For other front ends: a port, or the path of a Unix socket. NULL: gdb is started. */
	const char *listen;
	char **arguments; /* more of gdb's, NULL-terminated; may be NULL */
	/* The rank's place as half a sentence; free with g_free. */
	char *(*describe)(const struct recording_place *place);
	/* Tells the user a line. */
	void (*tell)(const char *line);
};

/* Returns when gdb has ended, or the other front end has gone; then no process is left. False with
 * `error` set. */
bool replay_gdb(const struct replay_gdb_options *options, GError **error);

#endif
