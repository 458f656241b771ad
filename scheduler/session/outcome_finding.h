/* The finding that interleavings end well with different outcomes, for those who have seen which:
 * the session, which runs them again, and a merge of its stores. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOME_FINDING_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOME_FINDING_H

#include "outcomes.h"

/* "rank 0's output, line 3"; texts behind the ranks' are `files`. Free with g_free. */
char *outcome_finding_place(guint ranks, char *const *files,
                            const struct outcome_difference *difference);

/* Adds outcome `index` as the next one. `place` (taken over) and `difference`, from the reference,
 * are NULL for the reference itself, which comes first. */
void outcome_finding_add(struct record_finding *finding, const struct outcomes *outcomes,
                         guint index, char *place, const struct outcome_difference *difference);

/* Counts who ended with each outcome. `outcome_of`: guint32 in pairs, an index and an interleaving;
 * `numbers`: by index, the outcome's number in the finding or 0. Returns the interleavings
 * (guint32) that do not end as the reference does: they show the finding. */
GArray *outcome_finding_count(struct record_finding *finding, const struct outcomes *outcomes,
                              const GArray *outcome_of, const guint *numbers);

/* All outcomes have been added: says what is wrong. */
void outcome_finding_tell(struct record_finding *finding);

#endif
