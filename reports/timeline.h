/* When each call of an interleaving begins and ends. The store knows what had to come before
 * what, and no clock; so the time is Lamport's logical clock ("Time, Clocks, and the Ordering of
 * Events in a Distributed System", 1978): each rank counts its steps, and a step that needs
 * another rank's comes after it. Pure. */
#ifndef MATCHPOINT_REPORTS_TIMELINE_H
#define MATCHPOINT_REPORTS_TIMELINE_H

#include <stdbool.h>

#include "scheduler/store/record.h"

/* Times are in steps from 1; arrays by index in execution->calls. */
struct timeline {
	guint64 *enter, *leave;
	guint64 *done;     /* what completes in this call (its own operation, or that of a request)
	                      is complete: after all that it needs has begun, and before `leave`
	                      unless the rank's threads were in several calls at once */
	bool *returns;     /* false: the rank is in it to the end */
	guint overlapping; /* calls that others of the rank overlap: `done` may be after `leave` */
	guint64 end;       /* after everything */
};

struct timeline *timeline_new(const struct record_execution *execution);
void timeline_free(struct timeline *timeline);

/* The index of this call, or -1: there is none. `calls` as in struct record_execution. */
gint64 timeline_call(const GArray *calls, int32_t rank, uint32_t call);

/* The rank that `rank` knows world rank `peer` by in a communicator with this group (struct
 * record_call); the remote group is meant of an intercommunicator. -1: it is not in it. */
int32_t timeline_rank_in(const char *group, int32_t rank, int32_t peer);

#endif
