/* Shortens the path of a finding while the exploration goes on, so that it names only choices that
 * are needed. A path that a bounded exploration comes upon names many others: its order is mixed.
 * The tries are no part of the exploration. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SHORTENING_H
#define MATCHPOINT_SCHEDULER_SESSION_SHORTENING_H

#include "session.h"

struct shortening;

struct shortening *shortening_new(struct session *session);
void shortening_free(struct shortening *shortening);

/* Tries to leave choices out of the path of a finding that has been replayed, and learns which
 * choice to blame (findings_blame). Each finding takes at most half of what is left of a fifth of
 * --max-time, so later findings have a share; nothing goes on after the bound. `buffering`: of the
 * finding's interleaving. */
void shortening_finding(struct shortening *shortening, struct record_finding *finding,
                        enum buffering buffering);

#endif
