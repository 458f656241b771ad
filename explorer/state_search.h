/* A search that visits equal states once.
 *
 * Its nodes are states of a world at rest, identified by their fingerprint (state_hash.h). The
 * edges out of a node are all alternatives of all open points, not only those of the first point as
 * in the tree (explorer.h). So revisits need no bookkeeping: a message that comes later to a
 * receive that was not decided first is found where another receive was. Every order in which
 * choices can be made leads somewhere. If two of them lead to the same state, only one is
 * continued. Example: N-1 senders to one receiver that forgets which came first have (N-1)!
 * interleavings and 2^(N-1) states.
 *
 * Every outcome that differs in anything that its state keeps is reached. Outcomes that differ only
 * in the past are one. If nothing merges, there are more nodes than interleavings.
 *
 * Early sends, leaving collectives and the order of threads (TAKEN_EARLY, TAKEN_LATE, TAKEN_THREAD)
 * are decided first, as in the tree.
 *
 * Equal states may have different numbers of calls. A choice is the same in both if its call is
 * equally many calls before the last one of its rank. A state that is reached again from itself is
 * a circle in which the program can run for ever; the world then continues as it would in the tree.
 *
 * States without a fingerprint equal no other.
 *
 * How many interleavings lead to each end follows from the graph of the states (state_graph.h). No
 * I/O. */
#ifndef MATCHPOINT_EXPLORER_STATE_SEARCH_H
#define MATCHPOINT_EXPLORER_STATE_SEARCH_H

#include "common/state_hash.h"
#include "explorer.h"
#include "saved_states.h"
#include "state_graph.h"

struct state_search;

/* `verify`: a world in a known state is not dropped. It continues as the first world in that state
 * did, and differences are counted. */
struct state_search *state_search_new(bool verify);
void state_search_free(struct state_search *search); /* NULL is allowed */

/* As explorer_next: the choices to make first in the next world, deepest first. */
GArray *state_search_next(struct state_search *search);

struct known_state {
	struct state_hash name;
	const uint32_t *calls; /* number of calls made, by rank */
	int ranks;
	bool nameless; /* no fingerprint: equals no other state */
};

/* As explorer_rest. `state`: of the world; NULL: nameless, and nothing can be counted.
 * EXPLORER_DROP: the state is known. With nothing open the world has ended: EXPLORER_DONE. */
enum explorer_step state_search_rest(struct state_search *search, const struct known_state *state,
                                     const GArray *open, struct choice *ret_choice);

/* The same, for a world that is back in a state of its own, even if that has another name now: see
 * explorer_returned. How many interleavings there are is not known any more. EXPLORER_DROP. */
enum explorer_step state_search_returned(struct state_search *search);

/* Something outside has ended a rank of this world, a second time along its path. Called before
 * state_search_rest. Choices that an earlier search had left or made may then be missing. They are
 * made in other worlds, and this one ends where they are missing: EXPLORER_DONE. */
void state_search_struck(struct state_search *search);

/* The world of the last plan has ended and was not dropped. `outcome`: fingerprint of its end.
 * Returns whether no other world ended with it. */
bool state_search_end(struct state_search *search, const struct state_hash *outcome);

/* The number of the end that the last world came to: an index for state_search_count. */
guint state_search_ended(const struct state_search *search);

/* As state_graph_count: how many interleavings come to each end. */
enum graph_answer state_search_count(const struct state_search *search, GArray **ret_ends);

/* The world of the last plan was stopped before its end: it is continued later. */
void state_search_cut(struct state_search *search);

/* The last plan could not be followed to its end. */
void state_search_lost(struct state_search *search);

/* Whether a waiting plan contains these choices (struct choice). */
bool state_search_needs(const struct state_search *search, const GArray *choices);

struct state_statistics {
	uint64_t states;   /* states found, at rest and at ends */
	uint64_t ends;     /* of these, ends */
	uint64_t nameless; /* states at rest without a fingerprint; each visit counts */
	uint64_t circles;  /* states reached again from themselves */
	uint64_t merged;   /* worlds that reached a known state at rest, or a known end */
	uint64_t verified; /* steps out of a known state that led where they had led before */
	uint64_t differed; /* steps that did not: a fingerprint is wrong */
	uint64_t lost;     /* plans that could not be followed */
	uint64_t waiting;  /* choices not made yet */
	/* choices that an earlier search had left or made, and that were not there, although
	 * nothing outside had ended a rank */
	uint64_t missed;
	bool sets_left; /* sets of requests that are reported together were left out */
};
void state_search_statistics(const struct state_search *search, struct state_statistics *ret);

#define STATE_SEARCH_TYPE "(b(tttttt)ba(ttu)" STATE_GRAPH_TYPE SAVED_STATES_TYPE ")"

/* state_search_save: the state between two worlds, of type STATE_SEARCH_TYPE, in this machine's
 * byte order; free with g_variant_unref. state_search_restore: a new search continues from it with
 * other processes. It reaches each known state once more to learn its fingerprint, then explores
 * what was left (saved_states.h). False: damaged. */
GVariant *state_search_save(const struct state_search *search);
bool state_search_restore(struct state_search *search, GVariant *saved);

#endif
