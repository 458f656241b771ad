/* What is done to windows, told to a log as the scheduler tells it. */
#ifndef MATCHPOINT_TESTS_UNIT_RMA_FIXTURE_H
#define MATCHPOINT_TESTS_UNIT_RMA_FIXTURE_H

#include "scheduler/world/rma_log.h"

/* Every window is of all ranks. */
static inline int rma_fixture_target(void *user, guint64 window, int rank, int target)
{
	(void)user;
	(void)window;
	(void)rank;
	return target;
}

/* One step of a rank, behind so many events of the trace. */
static inline void rma_fixture_tell(struct rma_log *log, int rank, gsize events,
                                    struct wire_access access)
{
	const struct wire_accesses one = {1, &access};

	rma_log_add(log, rank, events, &one, rma_fixture_target, NULL);
}

#endif
