/* A job of ranks that run freely, in the process table (process_table.h): a debugger sees all of
 * them before main, or in MPI_Init if they are not known before. */
#ifndef MATCHPOINT_SCHEDULER_HOST_SHOWN_JOB_H
#define MATCHPOINT_SCHEDULER_HOST_SHOWN_JOB_H

#include <glib.h>

struct shown_job {
	char **command;     /* of the launcher, looked for in PATH; shares our standard streams */
	char **environment; /* for it and the ranks */
	int ranks;
};

/* Starts it, and waits for its end. Returns its exit status, as in a shell, or -1 with `error`
 * set. */
int shown_job_run(const struct shown_job *job, GError **error);

#endif
