/* The search that visits equal states once (--search states; explorer/state_search.h): under one
 * buffering after the other, until nothing is left or something stops it. And whether it is gone
 * over to (--search auto): when equal states have come up in the tree, and much of it is left. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_STATE_EXPLORATION_H
#define MATCHPOINT_SCHEDULER_SESSION_STATE_EXPLORATION_H

#include "explorer/state_search.h"
#include "session.h"

struct state_exploration;
struct world;

struct state_exploration *state_exploration_new(struct session *session);
void state_exploration_free(struct state_exploration *walks);

/* Under these bufferings (a bit each). What a later session needs to go on has been written then.
 */
void state_exploration_explore(struct state_exploration *walks, guint bufferings);

/* Whether it has; from the beginning, if that is asked for. */
bool state_exploration_have_begun(const struct state_exploration *walks);

/* --- while the tree is explored ---
 *
 * What watches whether equal states come up there; NULL: nothing does, or not any more. */
struct state_watch *state_exploration_watch(const struct state_exploration *walks);

/* Between two of its interleavings, of which so many are left (< 0: not known): whether to leave it
 * for this search. */
bool state_exploration_look(struct state_exploration *walks, double left);

/* An interleaving of this path counts: it is not to be counted again. */
void state_exploration_know_path(struct state_exploration *walks, const char *path);

/* Whether a plan that waits begins with what has been chosen in this world. */
bool state_exploration_need(const struct state_exploration *walks, const struct world *world);

/* Under all bufferings. */
struct state_statistics state_exploration_statistics(const struct state_exploration *walks);

/* What the verdict has to say of it besides: notes (char *) are added. */
void state_exploration_note(const struct state_exploration *walks, GPtrArray *notes);

/* Why the result is not to be trusted (`hurried`: of program_facts_hurried); NULL: it is. Free with
 * g_free. */
char *state_exploration_distrust(const struct state_exploration *walks, const char *hurried);

/* For a session that goes on from here, and back from it. */
void state_exploration_save(const struct state_exploration *walks, GVariantDict *state);
void state_exploration_restore(struct state_exploration *walks, GVariantDict *state);

/* Of which it is to go on; all that are asked for, if it has not begun. */
guint state_exploration_bufferings(const struct state_exploration *walks);

#endif
