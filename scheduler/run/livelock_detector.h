/* Whether ranks that only poll have come back to the very state in which they were some rounds
 * before: then, as nothing comes from elsewhere, they go on like that for ever. What a rank goes by
 * is told as a digest (shim/state/digest.h). Pure. */
#ifndef MATCHPOINT_SCHEDULER_RUN_LIVELOCK_DETECTOR_H
#define MATCHPOINT_SCHEDULER_RUN_LIVELOCK_DETECTOR_H

#include <stdbool.h>

#include "scheduler/world/world.h"

/* Between two looks: loops of 1 to 6, 10, 12, 15, 20 or 30 polls have come back. */
#define LIVELOCK_DETECTOR_ROUNDS 60u
#define LIVELOCK_DETECTOR_LOOKS \
	4u /* memory that is used for the first time differs once or twice */

enum livelock_state {
	LIVELOCK_OPEN,    /* not known yet */
	LIVELOCK_CLOSED,  /* they are in a circle */
	LIVELOCK_CHANGES, /* some rank is in another state each time: `changed` is the first one */
	LIVELOCK_UNKNOWN, /* a rank cannot tell */
};

struct livelock_detector {
	enum livelock_state state;
	int changed;
	guint looks;         /* that have been taken */
	guint rounds;        /* (struct world_idle) of the last one */
	guint missing;       /* answers to it */
	GHashTable *digests; /* rank to struct wire_digest; owned */
};

void livelock_detector_release(
	struct livelock_detector *detector); /* all-zero is legal, and what it leaves */

/* Whether it is time for another look, after that many rounds. Fewer than before: something has
 * happened since, and all begins anew. */
bool livelock_detector_is_due(struct livelock_detector *detector, guint rounds);

/* One is taken: so many ranks are asked. */
void livelock_detector_ask(struct livelock_detector *detector, guint rounds, guint asked);

/* What one of them says. false: it was not asked. */
bool livelock_detector_answer(struct livelock_detector *detector, int rank,
                              const struct wire_digest *digest);

#endif
