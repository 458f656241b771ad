/* Looks for equal states while the tree is explored (explorer/state_watch.h). A look runs some
 * worlds beside the exploration, which do not count. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_STATE_LOOK_H
#define MATCHPOINT_SCHEDULER_SESSION_STATE_LOOK_H

#include "explorer/path.h"
#include "explorer/state_watch.h"
#include "scheduler/store/record.h"

struct session;
struct state_look;

struct state_look *state_look_new(struct session *session);
void state_look_free(struct state_look *look);

/* For strategies of the tree; NULL: it is not left, whatever comes. */
struct state_watch *state_look_watch(const struct state_look *look);

/* Why it is not left, as a clause; NULL: it may be. */
const char *state_look_reason(const struct state_look *look);

/* The tree has counted this interleaving. `choices`: struct choice, in the order made, as in the
 * record. */
void state_look_note(struct state_look *look, const struct record_execution *execution,
                     const GArray *choices);

/* Between two interleavings of the tree, with the estimated number left (negative: unknown). Looks
 * if it is time. Returns whether to leave the tree. */
bool state_look_now(struct state_look *look, guint64 explored, double left);

#endif
