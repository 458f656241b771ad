/* Shared by the files that go back to a call (debug_travel.c, debug_position.c). */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUG_TRAVEL_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUG_TRAVEL_H

#include "debug_internal.h"
#include "explorer/cut.h"

/* Current calls of all ranks, and a target. */
struct travel {
	struct debugger *debugger;
	struct world *world;
	struct cuts *cuts;
	int ranks;
	guint32 *here; /* by rank: its current call (explorer/cut.h) */
	guint32 *cut;  /* by rank: call to go to */
};

/* Whether a position with a cut that lies before here is inconsistent. If so, prints why, and the
 * nearest consistent one. */
bool debugger_refuses_cut(struct debugger *debugger, const struct position *position);

#endif
