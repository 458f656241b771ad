/* Finds ranks that ended without calling MPI_Init while other ranks wait for them there. Nothing
 * reports such an end: the job launcher waits as well. */
#ifndef MATCHPOINT_SCHEDULER_HOST_ABSENT_RANK_H
#define MATCHPOINT_SCHEDULER_HOST_ABSENT_RANK_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* By rank: whether it has a process on this machine. A process that has ended has no environment
 * any more, so it does not count. `directory`: the run directory, which identifies the job's
 * processes. Free with g_free. */
bool *absent_rank_alive(const char *directory, int ranks);

/* Returns the first rank without a process, or -1; -1 also if the processes cannot be read. `pids`:
 * by rank, 0 for a rank that has not connected. */
int absent_rank(const bool *alive, const pid_t *pids, int ranks);

#endif
