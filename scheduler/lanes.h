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
#ifndef MATCHPOINT_SCHEDULER_LANES_H
#define MATCHPOINT_SCHEDULER_LANES_H

#include "session.h"

/* Alternatives that were not explored. */
struct left_out {
	guint64 pruned;  /* by bounds */
	guint64 vouched; /* by bounds beyond which there is nothing new */
	gboolean sets;   /* there were sets of complete requests that were not reported: --some */
};

struct frozen;

/* The lanes of a session (GPtrArray of struct lane), none yet. */
GPtrArray *lanes_new(void);

/* Explores all parts of the tree (session->parts), as far as the bounds allow; what is left then
 * has been written to the store. */
void lanes_explore(struct session *session);

/* Whether a plan could start from this snapshot. */
gboolean lanes_need(const struct session *session, const struct frozen *frozen);

/* Snapshots have turned out to be unusable: ends all that runs as copies, to be begun anew, and
 * gives up every snapshot. */
void lanes_fall_back(struct session *session);

/* Whether a part of this tree waits that is not begun, or that no lane has. */
gboolean lanes_have_part(const struct session *session, enum buffering buffering);

/* Fills in what waits, what is left, and how deep it is. */
void lanes_progress(const struct session *session, struct session_progress *progress);

/* How many alternatives bounds have left out so far: see struct explorer_statistics. */
struct left_out lanes_left_out(const struct session *session);

/* What is left (GPtrArray of struct store_part, to be unref'd). No execution may have ended and not
 * been accounted for. */
GPtrArray *lanes_parts(const struct session *session);

#endif
