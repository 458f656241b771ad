/* The name of the state in which a world is at rest (explorer/state_search.h): what the world knows
 * (world_picture.h), and what each rank says of itself when asked (shim/state.h). Pure. */
#ifndef MATCHPOINT_SCHEDULER_RUN_NAMING_H
#define MATCHPOINT_SCHEDULER_RUN_NAMING_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/state_hash.h"
#include "shim/wire.h"

/* What a rank has said of itself last. */
struct naming_said {
	bool holds; /* it has done nothing since */
	struct state_hash state;
};

struct naming {
	guint missing; /* answers */
	bool asked;    /* at the rest at hand; every rank that is there has answered, or will */
	gint64 since;  /* when they were; microseconds */
	guint8 *waits; /* by rank: is to answer yet; owned */
	struct state_hash ranks;
	char *hazard;             /* why it cannot be told; NULL: it can */
	struct naming_said *said; /* by rank, at this rest or before; owned; NULL: nothing */
};

void naming_release(struct naming *naming); /* all-zero is legal, and what it leaves */

/* So many ranks are there; they are asked one by one, but for those of which it is known. */
void naming_begin(struct naming *naming, int ranks);
void naming_ask(struct naming *naming, int rank);
/* false: it is to be asked. */
bool naming_recall(struct naming *naming, int rank);

/* What one of them says. false: it was not asked. */
bool naming_answer(struct naming *naming, int rank, const struct wire_state *state);

/* For this reason, of a rank (< 0: of none in particular); keeps the first. */
void naming_refuse(struct naming *naming, int rank, const char *why);

/* The rest is over. */
void naming_end(struct naming *naming);
/* A rank goes on, or was given something: it may be another one from now on. */
void naming_moves(struct naming *naming, int rank);
/* What holds of the ranks of one world holds of copies of them, too. `to` is all-zero. */
void naming_copy(struct naming *to, const struct naming *from, int ranks);

#endif
