/* The finding that interleavings end well with different outcomes. Two callers find the outcomes:
 * the session, which runs them again, and a merge of stores. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOME_FINDING_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOME_FINDING_H

#include "outcomes.h"

/* "rank 0's output, line 3". `files` are the texts after those of the ranks. Free with g_free. */
char *outcome_finding_place(guint ranks, char *const *files,
                            const struct outcome_difference *difference);

/* Adds outcome `index` as the next one. The reference comes first, with NULL for `place` and
 * `difference`. For others, `place` (takes ownership) and `difference` describe the difference from
 * the reference. */
void outcome_finding_add(struct record_finding *finding, const struct outcomes *outcomes,
                         guint index, char *place, const struct outcome_difference *difference);

/* Counts the interleavings of each outcome. `outcome_of`: guint32 in pairs, an index and an
 * interleaving. `numbers`: by index, the outcome's number in the finding, or 0. Returns the
 * interleavings (guint32) that end differently from the reference: they show the finding. */
GArray *outcome_finding_count(struct record_finding *finding, const struct outcomes *outcomes,
                              const GArray *outcome_of, const guint *numbers);

/* All outcomes have been added: sets the message and the path. */
void outcome_finding_finish(struct record_finding *finding);

#endif
