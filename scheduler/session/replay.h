/* Every finding is seen a second time, along its path, before it is reported: as soon as it is
 * found, since there may be no time later. On the way its ranks tell their call stacks. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_REPLAY_H
#define MATCHPOINT_SCHEDULER_SESSION_REPLAY_H

#include <stdbool.h>

#include "scheduler/run/call_log.h"
#include "session.h"

struct replay;

struct replay *replay_new(struct session *session);
void replay_free(struct replay *replay);

/* The next finding, by id, has been added: what its interleaving called (taken over; NULL: not
 * known). */
void replay_add_log(struct replay *replay, struct call_log *log);

/* All calls of an interleaving that ended well under this buffering are kept: it can be compared
 * with; whether there is one. */
void replay_add_well_kept(struct replay *replay, guint32 buffering);
bool replay_has_well_kept(const struct replay *replay, guint32 buffering);

/* Runs the interleaving of each finding again that has not been: those that do not show are marked,
 * and told as not-reproducible. To be called between two interleavings. */
void replay_findings(struct replay *replay);
/* In the end: what findings are compared with, for its stacks. */
void replay_well(struct replay *replay);

#endif
