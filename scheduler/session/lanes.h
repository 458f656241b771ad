/* Worlds side by side (-j). Each lane runs one interleaving after the other in its own part of the
 * tree. A lane with no plans left takes some of the waiting plans of another lane.
 *
 * All lanes share the session's event loop and thread. While one lane works between two
 * interleavings (accounting, writing, replaying a doubtful one), the other worlds go on; those that
 * have ended wait for their turn. The number of lanes does not change what is explored nor which
 * interleavings have findings, only the order.
 *
 * Files are not copied for each world. Therefore the first interleaving runs alone. If it changes
 * files by name, all others run alone, too. If a later one does so while others run, everything is
 * explored again from the beginning. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_LANES_H
#define MATCHPOINT_SCHEDULER_SESSION_LANES_H

#include <stdbool.h>

#include "coverage.h"
#include "scheduler/store/store.h"
#include "session.h"

struct lanes;
struct world;

/* The trees that the options select wait; none is begun. */
struct lanes *lanes_new(struct session *session);
void lanes_free(struct lanes *lanes);

/* Waiting parts of trees, not begun or left by an earlier session (struct store_part). Takes
 * ownership of the list that is set. */
const GPtrArray *lanes_waiting(const struct lanes *lanes);
void lanes_set_waiting(struct lanes *lanes, GPtrArray *parts);

/* An empty list of parts, and a function that adds one. Takes ownership of `frontier` (NULL: the
 * whole tree). */
GPtrArray *lanes_no_parts(void);
void lanes_add_part(GPtrArray *parts, enum buffering buffering, GVariant *frontier);

/* Explores all waiting parts as far as the bounds allow. The rest is then in the store. */
void lanes_explore(struct lanes *lanes);

/* Whether an interleaving has ended that was led to a known run; *ret_strayed: how many choices of
 * that run it has not made. */
bool lanes_have_begun(const struct lanes *lanes, guint *ret_strayed);

/* Bufferings with parts left for another search, one bit each; 0: none
 * (session_turns_to_states). */
guint lanes_left(const struct lanes *lanes);

/* Explores them after all: those parts, or those of an earlier session. */
void lanes_explore_left(struct lanes *lanes);
/* The parts that this would explore, as lanes_parts returns them. */
GPtrArray *lanes_parts_left(const struct lanes *lanes);

/* Why worlds cannot run side by side; NULL: as far as known they can. */
const char *lanes_reason_for_one_world(const struct lanes *lanes);
/* Whether they did so all the same: then nothing they explored counts. */
bool lanes_are_mixed(const struct lanes *lanes);

/* Whether a plan may start from a snapshot of this world. */
bool lanes_need(const struct lanes *lanes, const struct world *world);

/* Whether a part of this tree waits that is not begun or belongs to no lane. */
bool lanes_have_part(const struct lanes *lanes, enum buffering buffering);

/* Sets the numbers of waiting plans and of interleavings left. */
void lanes_progress(const struct lanes *lanes, struct session_progress *progress);

/* The alternatives that bounds have left out so far. */
struct left_out lanes_left_out(const struct lanes *lanes);

/* The unexplored parts (struct store_part); free with g_ptr_array_unref. Every execution that has
 * ended must have been accounted for. */
GPtrArray *lanes_parts(const struct lanes *lanes);

#endif
