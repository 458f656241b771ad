/* Which accumulates may run concurrently (MPI 3.1, section 11.7.2). They are atomic for each
 * element; those of one rank are in order, unless the window's info says otherwise. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_ACCUMULATES_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_ACCUMULATES_H

#include <glib.h>
#include <stdbool.h>

#include "rma_places.h"

/* An accumulate that uses the target's memory from address `first` on. */
struct rma_accumulate {
	const struct wire_access *access;
	int rank;
	guint64 first;
};

/* `place`: the window of `older` at the target; NULL: not known. `older` was reported first. */
bool rma_may_meet(const struct rma_place *place, const struct rma_accumulate *older,
                  const struct rma_accumulate *newer);

#endif
