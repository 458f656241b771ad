/* State search: visits equal states once (--search states; explorer/state_search.h), under one
 * buffering after the other, until nothing is left or the session ends. With --search auto it also
 * decides whether to leave the tree for it: when equal states have occurred in the tree and much of
 * it is left. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_STATE_EXPLORATION_H
#define MATCHPOINT_SCHEDULER_SESSION_STATE_EXPLORATION_H

#include "explorer/state_search.h"
#include "session.h"
#include "state_counts.h"

struct state_exploration;
struct execution;
struct world;

struct state_exploration *state_exploration_new(struct session *session);
void state_exploration_free(struct state_exploration *walks);

/* Explores under these bufferings (one bit each). The state for a later session is then in the
 * store. */
void state_exploration_explore(struct state_exploration *walks, guint bufferings);

/* Whether it has begun; with --search states it has from the beginning. */
bool state_exploration_have_begun(const struct state_exploration *walks);

/* With --search auto: whether it has given up, as states do not tell how many interleavings there
 * are, or are too many. Then it has not begun, and the rest of the tree is to be explored;
 * state_exploration_knows tells which of its interleavings have been counted. may_fail: whether
 * that can still happen. */
bool state_exploration_have_failed(const struct state_exploration *walks);
bool state_exploration_may_fail(const struct state_exploration *walks);
bool state_exploration_knows(const struct state_exploration *walks,
                             const struct execution *execution);

/* --- while the tree is explored ---
 *
 * Watches for equal states in the tree; NULL: not, or no longer, watched. */
struct state_watch *state_exploration_watch(const struct state_exploration *walks);

/* The tree is not left: stops watching. */
void state_exploration_keep_to_tree(struct state_exploration *walks);

/* Call it between two interleavings of the tree, with the estimated number left (< 0: unknown). It
 * may look for equal states (state_look.h). Whether to leave the tree for this search. */
bool state_exploration_look(struct state_exploration *walks, double left);

/* The session has counted an interleaving, with these choices (struct choice) in the order made;
 * this search must not count it again. */
void state_exploration_know(struct state_exploration *walks,
                            const struct record_execution *execution, const GArray *choices);

/* Whether a waiting plan begins with the choices made in this world. */
bool state_exploration_need(const struct state_exploration *walks, const struct world *world);

/* The sum over all bufferings. */
struct state_statistics state_exploration_statistics(const struct state_exploration *walks);

/* At the end: for how many interleavings the executions of the session stand. Without a search over
 * states, each for one. state_exploration_count finds it out. */
void state_exploration_count(struct state_exploration *walks);
const struct state_counts *state_exploration_counts(const struct state_exploration *walks);

/* Adds notes (char *) on this search. */
void state_exploration_note(const struct state_exploration *walks, GPtrArray *notes);

/* Why the result is not reliable (`hurried`: from program_facts_hurried); NULL: it is. Free with
 * g_free. */
char *state_exploration_distrust(const struct state_exploration *walks, const char *hurried);

/* Saves for a session that continues this one, and restores. */
void state_exploration_save(const struct state_exploration *walks, GVariantDict *state);
void state_exploration_restore(struct state_exploration *walks, GVariantDict *state);
/* False: an earlier session with --search auto went over to states, and this one cannot. */
bool state_exploration_suits(const struct state_exploration *walks, GVariantDict *state);

/* The bufferings left to explore; all that the options select, if it has not begun. */
guint state_exploration_bufferings(const struct state_exploration *walks);

#endif
