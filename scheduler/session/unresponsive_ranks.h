/* Ranks that say nothing for long. They compute, or go round for ever, and nobody can tell which
 * from outside; so people are told who it is that the others wait for. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_UNRESPONSIVE_RANKS_H
#define MATCHPOINT_SCHEDULER_SESSION_UNRESPONSIVE_RANKS_H

#include "scheduler/run/runs.h"

/* Of the executions (`runs` may be NULL), the rank that has said nothing for longest, nor waits for
 * anybody, and since how many seconds; -1: all have spoken lately. */
int unresponsive_ranks_first(struct runs *runs, double *ret_seconds);

/* Where each rank of the world that says nothing is now, a line (char *) for each, as far as that
 * can be seen; the caller's. */
GPtrArray *unresponsive_ranks_stacks(struct runs *runs);

/* Adds notes on that rank. To be called before what is stopped has ended. */
void unresponsive_ranks_note(struct runs *runs, GPtrArray *notes);

#endif
