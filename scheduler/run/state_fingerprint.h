/* The name of the state in which a world is at rest (explorer/state_search.h): what the world knows
 * (world_fingerprint.h), and what each rank says of itself when asked (shim/state/state.h). Pure.
 */
#ifndef MATCHPOINT_SCHEDULER_RUN_STATE_FINGERPRINT_H
#define MATCHPOINT_SCHEDULER_RUN_STATE_FINGERPRINT_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "common/wire.h"

/* What a rank has said of itself last. */
struct state_fingerprint_said {
	bool holds; /* it has done nothing since */
	struct state_hash state;
};

struct state_fingerprint {
	guint missing; /* answers */
	bool asked;    /* at the rest at hand; every rank that is there has answered, or will */
	gint64 since;  /* when they were; microseconds */
	guint8 *waits; /* by rank: is to answer yet; owned */
	struct state_hash ranks;
	char *hazard; /* why it cannot be told; NULL: it can */
	struct state_fingerprint_said
		*said; /* by rank, at this rest or before; owned; NULL: nothing */
};

void state_fingerprint_release(
	struct state_fingerprint *fingerprint); /* all-zero is legal, and what it leaves */

/* So many ranks are there; they are asked one by one, but for those of which it is known. */
void state_fingerprint_begin(struct state_fingerprint *fingerprint, int ranks);
void state_fingerprint_ask(struct state_fingerprint *fingerprint, int rank);
/* false: it is to be asked. */
bool state_fingerprint_reuse(struct state_fingerprint *fingerprint, int rank);

/* What one of them says. false: it was not asked. */
bool state_fingerprint_answer(struct state_fingerprint *fingerprint, int rank,
                              const struct wire_state *state);

/* For this reason, of a rank (< 0: of none in particular); keeps the first. */
void state_fingerprint_refuse(struct state_fingerprint *fingerprint, int rank, const char *why);

/* The rest is over. */
void state_fingerprint_end(struct state_fingerprint *fingerprint);
/* A rank goes on, or was given something: it may be another one from now on. */
void state_fingerprint_moves(struct state_fingerprint *fingerprint, int rank);
/* What holds of the ranks of one world holds of copies of them, too. `to` is all-zero. */
void state_fingerprint_copy(struct state_fingerprint *to, const struct state_fingerprint *from,
                            int ranks);

#endif
