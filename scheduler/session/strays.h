/* Worlds that have let go of a promise (run_result) go on where the search does not. What they show
 * counts if it is not known, and is an interleaving then; when the search comes to the same one
 * later, that is counted already. Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_STRAYS_H
#define MATCHPOINT_SCHEDULER_SESSION_STRAYS_H

#include <stdbool.h>

#include "findings.h"

struct strays;

struct strays *strays_new(void);
void strays_free(struct strays *strays);

/* Whether one that has shown these (struct record_finding) shows something new under its buffering;
 * then it is remembered with its `choices`. */
bool strays_take(struct strays *strays, const struct findings *findings,
                 const struct record_execution *execution, const GPtrArray *shown,
                 const GArray *choices);

/* Whether one that is remembered has made the same choices and shown the same. */
bool strays_have(const struct strays *strays, const struct record_execution *execution,
                 const GPtrArray *shown, const GArray *choices);

#endif
