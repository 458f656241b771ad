/* A search that visits equal states once.
 *
 * Its nodes are states of a world at rest, known by a name (state_hash.h); the edges out of a node
 * are all alternatives of all the points that are open there, not those of the first point alone as
 * in the tree (explorer.h). So late messages need no bookkeeping: what comes late to a receive that
 * was not the first to be decided is found where another one was. Every order in which choices can
 * be made leads somewhere, and where two of them lead to the same state one of them is gone on
 * with: as many senders to one receiver that forgets who came first, N-1 of them, have (N-1)!
 * interleavings and 2^(N-1) states.
 *
 * Every outcome that differs in anything that its state keeps is reached; outcomes that differ in
 * nothing but the past are one. Where nothing merges there are more nodes than interleavings.
 *
 * Sends that may complete early, collectives that may be left and whose turn it is (TAKEN_EARLY,
 * TAKEN_LATE, TAKEN_THREAD) are decided first, as in the tree.
 *
 * Equal states may lie different numbers of calls behind the beginning: a choice is the same in
 * both if it is of the call that is as many calls away from the last one of its rank. A state that
 * is come to again on the way out of itself is a circle in which the program can go on for ever;
 * the world goes on then, as it would in the tree.
 *
 * States that cannot be told (NULL) equal no other. Pure. */
#ifndef MATCHPOINT_EXPLORER_STATE_SEARCH_H
#define MATCHPOINT_EXPLORER_STATE_SEARCH_H

#include "common/state_hash.h"
#include "explorer.h"
#include "saved_states.h"

struct state_search;

/* `verify`: a world in a state that is known is not dropped but goes on, and does there what the
 * first world in that state did; whatever differs then is counted. */
struct state_search *state_search_new(bool verify);
void state_search_free(struct state_search *search); /* NULL is legal */

/* As explorer_next: the choices to be made first in the next world, deepest first. */
GArray *state_search_next(struct state_search *search);

struct state_told {
	struct state_hash name;
	const uint32_t *calls; /* by rank: how many it has made */
	int ranks;
};

/* As explorer_rest. The world is in this state (NULL: it cannot be told). EXPLORER_DROP: that
 * state is known. With nothing open it has ended: EXPLORER_DONE. */
enum explorer_step state_search_rest(struct state_search *search, const struct state_told *told,
                                     const GArray *open, struct choice *ret_choice);

/* The world of the plan last returned has ended, not dropped; what it has come to, by a name as
 * for states. Whether no other one has come to that. */
bool state_search_end(struct state_search *search, const struct state_hash *outcome);

/* The world of the plan last returned was stopped on its way: it is to be gone on with later. */
void state_search_cut(struct state_search *search);

/* The plan last returned could not be followed to its end. */
void state_search_lost(struct state_search *search);

/* Whether a plan that waits contains these choices (struct choice). */
bool state_search_needs(const struct state_search *search, const GArray *choices);

struct state_statistics {
	uint64_t states;   /* found: at rest, and at ends */
	uint64_t ends;     /* of them */
	uint64_t nameless; /* states at rest that could not be told, each time counted anew */
	uint64_t circles;  /* states come to again on the way out of themselves */
	uint64_t merged;   /* worlds that came to a state at rest that was known, or an end */
	uint64_t verified; /* steps out of a known state that led where they had led before */
	uint64_t differed; /* and that did not: a name is wrong */
	uint64_t lost;     /* plans */
	uint64_t waiting;  /* choices not made yet */
	uint64_t missed;   /* choices that an earlier search had left, or made, were not there */
	bool sets_left;    /* sets of requests that are reported together were left out */
};
void state_search_statistics(const struct state_search *search, struct state_statistics *ret);

#define STATE_SEARCH_TYPE "(b(tttttt)ba(tt)" SAVED_STATES_TYPE ")"

/* What is known between two worlds, in STATE_SEARCH_TYPE (unref it) and this machine's byte order;
 * and a new search goes on from there, with other processes: it comes to each known state once more
 * to learn its name, and then explores what was left (saved_states.h). False: damaged. */
GVariant *state_search_save(const struct state_search *search);
bool state_search_restore(struct state_search *search, GVariant *saved);

#endif
