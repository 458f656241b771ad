/* Worlds side by side (-j). A lane runs one interleaving after the other in a part of the tree of
 * its own; who has nothing left takes some of what waits in another lane.
 *
 * All lanes belong to the one loop and thread of the session: whatever a lane does between two
 * interleavings (accounting, writing, replaying a doubtful one) the others' worlds go on with, and
 * wait for their turn when they have ended. What is explored, and which interleavings are
 * found wrong, does not depend on how many there are; in what order they are found does.
 *
 * Files are not copied for each world. So the first interleaving runs alone, and when it has
 * changed files by name, all others do. When others have, with several running, all is explored
 * again from the beginning. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_LANES_H
#define MATCHPOINT_SCHEDULER_SESSION_LANES_H

#include <stdbool.h>

#include "coverage.h"
#include "scheduler/store/store.h"
#include "session.h"

struct lanes;
struct world;

/* The trees that the options ask for wait, none is begun. */
struct lanes *lanes_new(struct session *session);
void lanes_free(struct lanes *lanes);

/* Parts of trees that wait, not begun or left by an earlier session (struct store_part); the list
 * that is set is taken over. */
const GPtrArray *lanes_waiting(const struct lanes *lanes);
void lanes_set_waiting(struct lanes *lanes, GPtrArray *parts);

/* Such a list, empty; adds a part to it, whose frontier (NULL: the whole tree) is taken over. */
GPtrArray *lanes_no_parts(void);
void lanes_add_part(GPtrArray *parts, enum buffering buffering, GVariant *frontier);

/* Explores all parts that wait, as far as the bounds allow; what is left then has been written to
 * the store. */
void lanes_explore(struct lanes *lanes);

/* Under which bufferings something remains that another search is to explore, a bit each; 0: none
 * (session_turns_to_states). */
guint lanes_left(const struct lanes *lanes);

/* Why worlds cannot run side by side; NULL: they may, for all that is known. */
const char *lanes_reason_for_one_world(const struct lanes *lanes);
/* They did all the same: nothing of what they explored counts. */
bool lanes_are_mixed(const struct lanes *lanes);

/* Whether a plan could start from a snapshot of this world. */
bool lanes_need(const struct lanes *lanes, const struct world *world);

/* Whether a part of this tree waits that is not begun, or that no lane has. */
bool lanes_have_part(const struct lanes *lanes, enum buffering buffering);

/* Fills in what waits, and what is left. */
void lanes_progress(const struct lanes *lanes, struct session_progress *progress);

/* How many alternatives bounds have left out so far. */
struct left_out lanes_left_out(const struct lanes *lanes);

/* What is left (GPtrArray of struct store_part, to be unref'd). No execution may have ended and not
 * been accounted for. */
GPtrArray *lanes_parts(const struct lanes *lanes);

#endif
