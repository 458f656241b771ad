/* Outcomes outside the search's tree. A world that gave up a promise (run_result) continues where
 * the search does not. If it shows a new finding, it counts as an interleaving. If the search
 * reaches the same interleaving later, it is not counted again. Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OFF_TREE_OUTCOMES_H
#define MATCHPOINT_SCHEDULER_SESSION_OFF_TREE_OUTCOMES_H

#include <stdbool.h>

#include "findings.h"

struct off_tree_outcomes;

struct off_tree_outcomes *off_tree_outcomes_new(void);
void off_tree_outcomes_free(struct off_tree_outcomes *outcomes);

/* Whether these findings (struct record_finding) include one that is new under its buffering. If
 * so, the outcome is remembered with its `choices`. */
bool off_tree_outcomes_take(struct off_tree_outcomes *outcomes, const struct findings *findings,
                            const struct record_execution *execution, const GPtrArray *shown,
                            const GArray *choices);

/* Whether a remembered outcome made the same choices and showed the same findings. */
bool off_tree_outcomes_have(const struct off_tree_outcomes *outcomes,
                            const struct record_execution *execution, const GPtrArray *shown,
                            const GArray *choices);

#endif
