/* How the ranks of a job are started: by the launcher, each for itself; or forked from one process
 * just before main() (common/forked_start.h), so that the program and its libraries are loaded and
 * bound once. That process is the job's command in place of the launcher, and pmi.h serves its
 * ranks from the beginning. */
#ifndef MATCHPOINT_SCHEDULER_HOST_FORKED_START_H
#define MATCHPOINT_SCHEDULER_HOST_FORKED_START_H

#include <glib.h>
#include <stdbool.h>

struct forked_start {
	char *const *program; /* as in struct launcher_job */
	int ranks;
	const char *launcher, *nodes; /* as in struct launcher_job */
	bool wrapped;                 /* by the words of --wrap */
	bool divided;                 /* several worlds, or processes that wait to be spawned */
	bool restarted;               /* from a checkpoint */
	bool distributed;             /* over several machines */
	bool watched;                 /* a debugger wants to see the ranks before main() */
	char *const *environment;     /* of the user; NULL: this process's */
};

/* Why the ranks have to be started by the launcher, as a clause; NULL: they may be forked. Reads
 * the files of the program and its libraries. Free with g_free.
 *
 * Functions of the program run in each rank, with its number in the environment. But libraries have
 * been loaded before: one of the program's own that does something then might do it by rank. */
char *forked_start_obstacle(const struct forked_start *start);

/* Adds the variables of the starter. `command`: the words of the launcher and the program, for the
 * case that the starter meets an obstacle. Takes and returns an environment. */
char **forked_start_environment(char **environment, const struct forked_start *start,
                                char *const *command);

/* Notes an obstacle that was met when the ranks had been forked. */
void forked_start_meet(const char *run_directory, const char *reason);

/* What an obstacle that a starter has met is written to, in this run directory. NULL: none was met.
 * Free with g_free. */
char *forked_start_met(const char *run_directory);

#endif
