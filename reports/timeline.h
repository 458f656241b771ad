/* When each call of an interleaving begins and ends. The store knows which event precedes which,
 * but no clock times. So time is Lamport's logical clock ("Time, Clocks, and the Ordering of
 * Events in a Distributed System", 1978): each rank counts its steps, and a step that needs
 * another rank's step comes after it. Pure. */
#ifndef MATCHPOINT_REPORTS_TIMELINE_H
#define MATCHPOINT_REPORTS_TIMELINE_H

#include <stdbool.h>

#include "scheduler/store/record.h"

/* Times are in steps, from 1. Arrays are indexed as execution->calls. */
struct timeline {
	guint64 *enter, *leave;
	guint64 *done;     /* when everything that completes in this call (its own operation, or
	                      that of a request) is complete: after all that it needs has begun,
	                      and before `leave`, unless several threads of the rank were in
	                      calls at once */
	bool *returns;     /* false: the rank stays in the call to the end */
	guint overlapping; /* number of calls that overlap others of their rank: `done` may be
	                      after `leave` */
	guint64 end;       /* after all other times */
};

struct timeline *timeline_new(const struct record_execution *execution);
void timeline_free(struct timeline *timeline);

/* The index of this call; -1: there is none. `calls` as in struct record_execution. */
gint64 timeline_call(const GArray *calls, int32_t rank, uint32_t call);

/* The rank of world rank `peer` in a communicator with this group (struct record_call), as seen
 * by `rank`. For an intercommunicator the remote group counts. -1: it is no member. */
int32_t timeline_rank_in(const char *group, int32_t rank, int32_t peer);

#endif
