/* The job launcher (mpiexec) as a child process: started in a session of its own so that a Ctrl-C
 * at the terminal reaches only us, watched, and ended with everything below it. It dies with us. */
#ifndef MATCHPOINT_SCHEDULER_LAUNCHER_H
#define MATCHPOINT_SCHEDULER_LAUNCHER_H

#include <glib.h>
#include <uv.h>

struct launcher;

struct launcher_options {
	uv_loop_t *loop;
	char **command;     /* the launcher's words and the program's, NULL-terminated */
	char **environment; /* of launcher and ranks */
	/* This launcher has ended; status as a shell tells it (128 + signal). Not called after
	 * launcher_free. */
	void (*ended)(void *user, const struct launcher *launcher, int status);
	void *user;
};

/* NULL with `error` set. */
struct launcher *launcher_start(const struct launcher_options *options, GError **error);

/* Kills what is left of it and frees. NULL is legal. */
void launcher_free(struct launcher *launcher);

/* FALSE also for NULL. */
gboolean launcher_running(const struct launcher *launcher);

/* The last that launcher and uncaught output said, for diagnostics; valid until freed. */
const char *launcher_output(const struct launcher *launcher);

/* The signal that Hydra says has ended a process of the job; 0: it does not say. If nobody else was
 * ended by a signal it is one that Hydra itself has killed. */
int launcher_signal(const struct launcher *launcher);

/* "mpiexec.mpich -n 4" or the words of --launcher. NULL with `error` set: cannot be parsed. Free
 * with g_strfreev. */
char **launcher_words(const char *custom, int ranks, GError **error);

/* What a launched process does first: matchpoint, called with `__launch COMMAND...`, ties its life
 * to its parent's, turns address randomisation off (where it is allowed) and becomes COMMAND.
 * Returns an exit status only when COMMAND cannot be executed. */
int launcher_become(char **command);
#define LAUNCHER_VERB "__launch"

/* The beginning of a command line that runs this program again, with a verb (char *, to be freed
 * with g_free; not NULL-terminated yet). */
GPtrArray *launcher_self(const char *verb);

#endif
