/* The search that visits equal states once (--search states; explorer/state_search.h): under one
 * buffering after the other, until nothing is left or something stops it. And whether it is gone
 * over to (--search auto): when equal states have come up in the tree, and much of it is left. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_STATE_WALKS_H
#define MATCHPOINT_SCHEDULER_SESSION_STATE_WALKS_H

#include "explorer/state_search.h"
#include "session.h"

struct state_walks;
struct world;

struct state_walks *state_walks_new(struct session *session);
void state_walks_free(struct state_walks *walks);

/* Under these bufferings (a bit each). What a later session needs to go on has been written then.
 */
void state_walks_explore(struct state_walks *walks, guint bufferings);

/* Whether it has; from the beginning, if that is asked for. */
bool state_walks_have_begun(const struct state_walks *walks);

/* --- while the tree is explored ---
 *
 * What watches whether equal states come up there; NULL: nothing does, or not any more. */
struct state_watch *state_walks_watch(const struct state_walks *walks);

/* Between two of its interleavings, of which so many are left (< 0: not known): whether to leave it
 * for this search. */
bool state_walks_look(struct state_walks *walks, double left);

/* An interleaving of this path counts: it is not to be counted again. */
void state_walks_know_path(struct state_walks *walks, const char *path);

/* Whether a plan that waits begins with what has been chosen in this world. */
bool state_walks_need(const struct state_walks *walks, const struct world *world);

/* Under all bufferings. */
struct state_statistics state_walks_statistics(const struct state_walks *walks);

/* What the verdict has to say of it besides: notes (char *) are added. */
void state_walks_note(const struct state_walks *walks, GPtrArray *notes);

/* Why the result is not to be trusted (`hurried`: of program_facts_hurried); NULL: it is. Free with
 * g_free. */
char *state_walks_doubt(const struct state_walks *walks, const char *hurried);

/* For a session that goes on from here, and back from it. */
void state_walks_save(const struct state_walks *walks, GVariantDict *state);
void state_walks_recall(struct state_walks *walks, GVariantDict *state);

/* Of which it is to go on; all that are asked for, if it has not begun. */
guint state_walks_bufferings(const struct state_walks *walks);

#endif
