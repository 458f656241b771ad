/* Detects that ranks that only poll have all returned to the state of an earlier look. As
 * nothing comes from elsewhere, they will repeat this for ever. The state of a rank is compared by
 * a digest (shim/state/digest.h). Pure. */
#ifndef MATCHPOINT_SCHEDULER_LIVENESS_LIVELOCK_DETECTOR_H
#define MATCHPOINT_SCHEDULER_LIVENESS_LIVELOCK_DETECTOR_H

#include <stdbool.h>

#include "scheduler/world/world.h"

/* between two looks: loops of 1 to 6, 10, 12, 15, 20 or 30 polls are back at their start */
#define LIVELOCK_DETECTOR_ROUNDS 60u
#define LIVELOCK_DETECTOR_LOOKS \
	4u /* memory that is used for the first time differs once or twice */

enum livelock_state {
	LIVELOCK_OPEN,    /* not known yet */
	LIVELOCK_CLOSED,  /* the ranks return to the same state */
	LIVELOCK_CHANGES, /* a rank's state differs each time: `changed`, the first such */
	LIVELOCK_UNKNOWN, /* a rank cannot report its state */
};

struct livelock_detector {
	enum livelock_state state;
	int changed;
	guint looks;         /* number of looks so far */
	guint rounds;        /* (struct world_idle) of the last look */
	guint missing;       /* answers to it */
	GHashTable *digests; /* rank to struct wire_digest; owned */
	guint64 seen
		[LIVELOCK_DETECTOR_LOOKS]; /* the states of all ranks at each look, as one hash */
};

void livelock_detector_release(
	struct livelock_detector *detector); /* all-zero is legal, and is the result */

/* Whether another look is due after that many rounds. Fewer rounds than before: something has
 * happened, so it starts anew. */
bool livelock_detector_is_due(struct livelock_detector *detector, guint rounds);

/* Begins a look: so many ranks are asked. */
void livelock_detector_ask(struct livelock_detector *detector, guint rounds, guint asked);

/* A rank has answered. Returns false if it was not asked. */
bool livelock_detector_answer(struct livelock_detector *detector, int rank,
                              const struct wire_digest *digest);

#endif
