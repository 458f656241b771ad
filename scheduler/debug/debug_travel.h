/* What the files share that go back to any call (debug_travel.c, debug_position.c). */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUG_TRAVEL_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUG_TRAVEL_H

#include "debug_internal.h"
#include "explorer/cut.h"

/* Where all ranks are, and could go back to. */
struct travel {
	struct debugger *debugger;
	struct world *world;
	struct cuts *cuts;
	int ranks;
	guint32 *here; /* by rank: the call in which it stands (explorer/cut.h) */
	guint32 *cut;  /* to be gone to */
};

/* Whether a position with a cut, which lies behind where it stands, is no place that can be gone
 * to; then it has told why, and which is the nearest. */
bool debugger_refuses_cut(struct debugger *debugger, const struct position *position);

#endif
