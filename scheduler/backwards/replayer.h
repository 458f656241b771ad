/* What the room needs of whoever replays: how the process is started, and what its place means. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_REPLAYER_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_REPLAYER_H

#include <glib.h>
#include <sys/types.h>

/* Bytes that are read at the `place` of agent_marks_begin. */
#define REPLAYER_PLACE 256

struct replayer {
	/* Starts the process, a child of this one, which is to call agent_marks_begin with `name`.
	 * Returns its number; -1 with `error` set. */
	pid_t (*start)(void *user, const char *name, GError **error);
	/* Where the process stands, as half a sentence; free with g_free. May be NULL. */
	char *(*describe)(void *user, const char place[REPLAYER_PLACE]);
	/* What MPI call `number` of the process is, from 1, in lines, seen from that place; free
	 * with g_free. May be NULL. */
	char *(*tell_call)(void *user, guint64 number, const char place[REPLAYER_PLACE]);
	/* What the process has told since the last time, in lines; free with g_free. NULL: nothing.
	 * May be NULL itself. */
	char *(*told)(void *user);
	void *user;
};

#endif
