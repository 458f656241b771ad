/* Worlds that have let go of a promise (run_result) go on where the search does not. What they show
 * counts if it is not known, and is an interleaving then; when the search comes to the same one
 * later, that is counted already. Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OFF_TREE_OUTCOMES_H
#define MATCHPOINT_SCHEDULER_SESSION_OFF_TREE_OUTCOMES_H

#include <stdbool.h>

#include "findings.h"

struct off_tree_outcomes;

struct off_tree_outcomes *off_tree_outcomes_new(void);
void off_tree_outcomes_free(struct off_tree_outcomes *outcomes);

/* Whether one that has shown these (struct record_finding) shows something new under its buffering;
 * then it is remembered with its `choices`. */
bool off_tree_outcomes_take(struct off_tree_outcomes *outcomes, const struct findings *findings,
                            const struct record_execution *execution, const GPtrArray *shown,
                            const GArray *choices);

/* Whether one that is remembered has made the same choices and shown the same. */
bool off_tree_outcomes_have(const struct off_tree_outcomes *outcomes,
                            const struct record_execution *execution, const GPtrArray *shown,
                            const GArray *choices);

#endif
