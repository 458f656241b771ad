/* Which accumulates may meet (MPI 3.1, section 11.7.2): atomic for each element, and those of one
 * rank in order, as far as the window's info has it so. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_ACCUMULATES_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_ACCUMULATES_H

#include <glib.h>
#include <stdbool.h>

#include "rma_places.h"

/* One that uses the target's memory from that address on. */
struct rma_accumulate {
	const struct wire_access *access;
	int rank;
	guint64 first;
};

/* `place`: the window of `older` at the target; NULL: not known. `older` was told first. */
bool rma_may_meet(const struct rma_place *place, const struct rma_accumulate *older,
                  const struct rma_accumulate *newer);

#endif
