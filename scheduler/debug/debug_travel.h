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

/* Whether a cut (guint32 by rank) that lies behind where it stands, with these choices, is no place
 * that can be gone to; then it has told why, and which is the nearest. */
bool debugger_refuses_cut(struct debugger *debugger, const GArray *choices, const GArray *cut);

#endif
