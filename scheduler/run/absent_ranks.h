/* When it is certain that a rank will never connect (host.h: rank_without_process). */
#ifndef MATCHPOINT_SCHEDULER_RUN_ABSENT_RANKS_H
#define MATCHPOINT_SCHEDULER_RUN_ABSENT_RANKS_H

#include "scheduler/host/host.h"

struct absent_ranks {
	gint64 next; /* when to look again */
	int rank;    /* that had no process, and how often in a row */
	guint times;
};

/* To be asked every now and then while ranks connect; `processes` by rank, 0 for those that have
 * not. The rank that will never come, once that is certain; else -1. */
int absent_ranks_check(struct absent_ranks *absent, struct host *host, const pid_t *processes,
                       int ranks);

#endif
