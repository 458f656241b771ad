/* Outcomes outside the search's tree. A world that gave up a promise (run_result) continues where
 * the search does not. If it shows a new finding, it counts as an interleaving. If the search
 * reaches the same interleaving later, it is not counted again.
 *
 * A promise that is kept can lead to an interleaving of the tree a second time. The search knows
 * such nodes by their hash, but not those of an earlier session (frontier.h). A resumed session
 * recalls all of its interleavings. Between shards, merge.c does the same. Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OFF_TREE_OUTCOMES_H
#define MATCHPOINT_SCHEDULER_SESSION_OFF_TREE_OUTCOMES_H

#include <stdbool.h>

#include "findings.h"

struct off_tree_outcomes;

struct off_tree_outcomes *off_tree_outcomes_new(void);
void off_tree_outcomes_free(struct off_tree_outcomes *outcomes);

/* Whether these findings (struct record_finding) include one that is new under its buffering. If
 * so, the outcome is remembered. */
bool off_tree_outcomes_take(struct off_tree_outcomes *outcomes, const struct findings *findings,
                            const struct record_execution *execution, const GPtrArray *shown);

/* Remembers an interleaving that an earlier session has counted. */
void off_tree_outcomes_recall(struct off_tree_outcomes *outcomes,
                              const struct record_execution *execution, const GPtrArray *shown);

/* Whether a remembered outcome made the same choices and showed the same findings. */
bool off_tree_outcomes_have(const struct off_tree_outcomes *outcomes,
                            const struct record_execution *execution, const GPtrArray *shown);

#endif
