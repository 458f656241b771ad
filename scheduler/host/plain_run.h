/* One run of the program without matchpoint's control: the same launcher, the user's environment,
 * and nothing preloaded. Only output and exit status of each rank are captured: the launcher starts
 * matchpoint itself with PLAIN_RUN_VERB for each rank, which runs the program as its child. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PLAIN_RUN_H
#define MATCHPOINT_SCHEDULER_HOST_PLAIN_RUN_H

#include <glib.h>
#include <stdbool.h>

#include "host.h"

struct plain_run_options {
	struct host *host; /* of this machine (local.h) */
	char **program;    /* argv, NULL-terminated */
	int ranks;
	const char *launcher;       /* NULL: mpiexec.mpich -n N */
	const char *standard_input; /* file for rank 0; NULL: no input */
	char **environment;         /* of the launcher and its ranks; NULL: our own */
	const char *directory;      /* for the captured output; it is made, and must not exist */
	int lock;                   /* descriptor that stays open until the whole job has ended */
	double seconds;             /* limit; then the job is killed */
	bool (*may_go_on)(void *user); /* false: the run is given up */
	void *user;
};

struct plain_run {
	bool cut;       /* may_go_on returned false: nothing below is known */
	bool full;      /* there was no room for its output */
	bool timed_out; /* it was killed after `seconds` */
	int started;    /* ranks of which the launcher has started matchpoint */
	int status;     /* of the launcher, as in a shell */
	char *words;    /* the end of what the launcher printed */
	GArray *ends;   /* int, by rank: as from waitpid; -1: killed by the launcher, or with it */
	GPtrArray *outputs; /* GBytes, by rank */
	GPtrArray *errors;  /* the same, of standard error */
};

/* Runs it to its end. Returns NULL with `error` set if it could not be started. */
struct plain_run *plain_run(const struct plain_run_options *options, GError **error);
void plain_run_free(struct plain_run *run); /* NULL is legal */

/* Carries out `matchpoint __plain DIRECTORY INPUT PROGRAM ARG...`; argv follows the verb. Returns
 * the exit status; if the program was killed by a signal, so is this process. */
int plain_run_become(char **argv);
#define PLAIN_RUN_VERB "__plain"

#endif
