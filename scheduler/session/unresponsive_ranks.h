/* Ranks that have been silent for long: they compute, or loop for ever, which cannot be told apart
 * from outside. Users are shown which ranks the others wait for. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_UNRESPONSIVE_RANKS_H
#define MATCHPOINT_SCHEDULER_SESSION_UNRESPONSIVE_RANKS_H

#include "scheduler/execution/runs.h"

/* The rank of all executions (`runs` may be NULL) that has been silent for longest and waits for no
 * other rank, and for how many seconds; -1: no rank is silent. */
int unresponsive_ranks_first(struct runs *runs, double *ret_seconds);

/* Lines (char *) on where the ranks of the world are now, as far as it can be read; ranks beside
 * each other that are at the same place share one. The caller owns it. */
GPtrArray *unresponsive_ranks_stacks(struct runs *runs);

/* Adds notes on that rank. Call it before ranks that were stopped have ended. */
void unresponsive_ranks_note(struct runs *runs, GPtrArray *notes);

#endif
