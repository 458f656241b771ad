/* Whether ranks that only poll have come back to the very state in which they were some rounds
 * before: then, as nothing comes from elsewhere, they go on like that for ever. What a rank goes by
 * is told as a digest (shim/digest.h). Pure. */
#ifndef MATCHPOINT_SCHEDULER_RUN_CYCLE_H
#define MATCHPOINT_SCHEDULER_RUN_CYCLE_H

#include <stdbool.h>

#include "scheduler/world/world.h"

/* Between two looks: loops of 1 to 6, 10, 12, 15, 20 or 30 polls have come back. */
#define CYCLE_ROUNDS 60u
#define CYCLE_LOOKS 4u /* memory that is used for the first time differs once or twice */

enum cycle_state {
	CYCLE_OPEN,    /* not known yet */
	CYCLE_CLOSED,  /* they are in a circle */
	CYCLE_CHANGES, /* some rank is in another state each time: `changed` is the first one */
	CYCLE_UNKNOWN, /* a rank cannot tell */
};

struct cycle {
	enum cycle_state state;
	int changed;
	guint looks;         /* that have been taken */
	guint rounds;        /* (struct world_idle) of the last one */
	guint missing;       /* answers to it */
	GHashTable *digests; /* rank to struct wire_digest; owned */
};

void cycle_release(struct cycle *cycle); /* all-zero is legal, and what it leaves */

/* Whether it is time for another look, after that many rounds. Fewer than before: something has
 * happened since, and all begins anew. */
bool cycle_is_due(struct cycle *cycle, guint rounds);

/* One is taken: so many ranks are asked. */
void cycle_look(struct cycle *cycle, guint rounds, guint asked);

/* What one of them says. false: it was not asked. */
bool cycle_answer(struct cycle *cycle, int rank, const struct wire_digest *digest);

#endif
