/* The job launcher (mpiexec) below a process of ours (supervisor.h): started in a session of its
 * own so that a Ctrl-C at the terminal reaches only us, watched, and ended with everything below
 * it. It dies with us. */
#ifndef MATCHPOINT_SCHEDULER_HOST_LAUNCHER_H
#define MATCHPOINT_SCHEDULER_HOST_LAUNCHER_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

struct launcher;

struct launcher_options {
	uv_loop_t *loop;
	char **command;     /* the launcher's words and the program's, NULL-terminated */
	char **environment; /* of launcher and ranks */
	int lock;           /* a descriptor that stays open until all of the job has ended */
	/* This launcher has ended; status as a shell tells it (128 + signal). Not called after
	 * launcher_free. */
	void (*ended)(void *user, const struct launcher *launcher, int status);
	void *user;
};

/* NULL with `error` set. */
struct launcher *launcher_start(const struct launcher_options *options, GError **error);

/* Has what is left of it killed, which is so when the loop has nothing more to do, and frees. NULL
 * is legal. */
void launcher_free(struct launcher *launcher);

/* false also for NULL. */
bool launcher_running(const struct launcher *launcher);

/* The last that launcher and uncaught output said, for diagnostics; valid until freed. */
const char *launcher_output(const struct launcher *launcher);

/* The signal that Hydra says has ended a process of the job; 0: it does not say. If nobody else was
 * ended by a signal it is one that Hydra itself has killed. */
int launcher_signal(const struct launcher *launcher);

/* "mpiexec.mpich -n 4" or the words of --launcher. NULL with `error` set: cannot be parsed. Free
 * with g_strfreev. */
char **launcher_words(const char *custom, int ranks, GError **error);

/* matchpoint, called with `__launch COMMAND...`, is the supervisor of COMMAND. */
#define LAUNCHER_VERB "__launch"

/* The beginning of a command line that runs this program again, with a verb (char *, to be freed
 * with g_free; not NULL-terminated yet). */
GPtrArray *launcher_self(const char *verb);

#endif
