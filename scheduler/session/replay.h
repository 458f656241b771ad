/* Replays findings. Each finding is seen a second time, along its path, before it is reported. The
 * replay follows at once, since there may be no time later. During a replay, ranks report their
 * call stacks. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_REPLAY_H
#define MATCHPOINT_SCHEDULER_SESSION_REPLAY_H

#include <stdbool.h>

#include "call_log.h"
#include "session.h"

struct replay;

struct replay *replay_new(struct session *session);
void replay_free(struct replay *replay);

/* The next finding, by id, has been added. `log`: the calls of its interleaving (takes ownership;
 * NULL: not known). */
void replay_add_log(struct replay *replay, GPtrArray *log);

/* Records that all calls of a good interleaving under this buffering are stored, for comparison;
 * whether there is one. */
void replay_add_well_kept(struct replay *replay, guint32 buffering);
bool replay_has_well_kept(const struct replay *replay, guint32 buffering);

/* Replays each finding that has not been replayed. A finding that does not show again is marked,
 * and reported as not-reproducible. Call it between two interleavings. */
void replay_findings(struct replay *replay);
/* At the end: replays the good interleavings that findings are compared with, for their stacks. */
void replay_well(struct replay *replay);
/* Replays a good interleaving under this buffering, for its stacks. false: none is known. */
bool replay_good(struct session *session, enum buffering buffering);

#endif
