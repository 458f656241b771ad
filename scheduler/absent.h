/* Ranks that ended without calling MPI_Init while others wait for them there: nobody says so, and
 * the job launcher waits as well. */
#ifndef MATCHPOINT_SCHEDULER_ABSENT_H
#define MATCHPOINT_SCHEDULER_ABSENT_H

#include <glib.h>
#include <sys/types.h>

struct absent {
	gint64 next; /* when to look again */
	int rank;    /* that had no process, and how often in a row */
	guint times;
};

/* To be asked every now and then while ranks connect; `pids` by rank, 0 for those that have not.
 * `directory` is the run directory, by which the job's processes are known. The rank that will
 * never come, once that is certain; else -1. */
int absent_look(struct absent *absent, const char *directory, const pid_t *pids, int ranks,
                gint64 now);

#endif
