/* Detects that a rank will never connect (host.h: rank_without_process). */
#ifndef MATCHPOINT_SCHEDULER_LIVENESS_ABSENT_RANKS_H
#define MATCHPOINT_SCHEDULER_LIVENESS_ABSENT_RANKS_H

#include "scheduler/host/host.h"

struct absent_ranks {
	gint64 next; /* time of the next look */
	int rank;    /* rank that had no process, and how often in a row */
	guint times;
};

/* Call this regularly while ranks connect. `processes`: by rank; 0: not connected. Returns the rank
 * that will never connect, once that is certain; else -1. */
int absent_ranks_check(struct absent_ranks *absent, struct host *host, const pid_t *processes,
                       int ranks);

#endif
