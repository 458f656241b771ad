/* Ranks that ended without calling MPI_Init while others wait for them there: nobody says so, and
 * the job launcher waits as well. */
#ifndef MATCHPOINT_SCHEDULER_HOST_ABSENT_RANK_H
#define MATCHPOINT_SCHEDULER_HOST_ABSENT_RANK_H

#include <glib.h>
#include <sys/types.h>

/* The first rank without a process (one that has ended has no environment any more), or -1, also
 * where the processes cannot be seen. `pids` by rank, 0 for those that have not connected;
 * `directory` is the run directory, by which the job's processes are known. */
int absent_rank(const char *directory, const pid_t *pids, int ranks);

#endif
