/* The fingerprint of a world's state at rest (explorer/state_search.h): what the world knows
 * (world_fingerprint.h), and what each rank reports when it is asked (shim/state/state.h).
 * Pure. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_STATE_FINGERPRINT_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_STATE_FINGERPRINT_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "common/wire.h"

/* The last report of a rank. */
struct state_fingerprint_report {
	bool holds; /* it has done nothing since */
	struct state_hash state;
};

struct state_fingerprint {
	guint missing; /* answers */
	bool asked;    /* ranks were asked at this rest */
	gint64 since;  /* when they were asked; microseconds */
	guint8 *waits; /* by rank: has to answer yet; owned */
	struct state_hash ranks;
	char *hazard; /* why there is no fingerprint; NULL: there is one */
	struct state_fingerprint_report
		*reports; /* by rank, at this rest or before; owned; NULL: none */
};

void state_fingerprint_release(
	struct state_fingerprint *fingerprint); /* all-zero is legal, and is the result */

/* Begins for that many ranks. They are asked one by one, except those whose state is known. */
void state_fingerprint_begin(struct state_fingerprint *fingerprint, int ranks);
void state_fingerprint_ask(struct state_fingerprint *fingerprint, int rank);
/* Returns false if the rank has to be asked. */
bool state_fingerprint_reuse(struct state_fingerprint *fingerprint, int rank);

/* A rank has answered. Returns false if it was not asked. */
bool state_fingerprint_answer(struct state_fingerprint *fingerprint, int rank,
                              const struct wire_state *state);

/* There is no fingerprint, for this reason, of a rank (< 0: of none in particular). Keeps the first
 * reason. */
void state_fingerprint_refuse(struct state_fingerprint *fingerprint, int rank, const char *why);

/* The rest is over. */
void state_fingerprint_end(struct state_fingerprint *fingerprint);
/* A rank goes on, or gets an order: its state may change from here on. */
void state_fingerprint_moves(struct state_fingerprint *fingerprint, int rank);
/* Copies of ranks have the states of the originals. `to` is all-zero. */
void state_fingerprint_copy(struct state_fingerprint *to, const struct state_fingerprint *from,
                            int ranks);

#endif
