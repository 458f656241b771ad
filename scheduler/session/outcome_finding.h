/* The finding that interleavings end well with different outcomes. Two callers find the outcomes:
 * the session, which runs them again, and a merge of stores. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOME_FINDING_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOME_FINDING_H

#include "outcomes.h"

/* "rank 0's output, line 3". `files` are the texts after those of the ranks. Free with g_free. */
char *outcome_finding_place(guint ranks, char *const *files,
                            const struct outcome_difference *difference);

/* What follows the place of a line that is the same each time under some choices, and varies under
 * others. */
#define OUTCOME_FINDING_VARIES                                                               \
	", which varies under these choices (memory that was never initialised? try --wrap " \
	"\"valgrind -q\")"

/* Whether it is a finding on such a line: its second outcome is not the same each time. */
bool outcome_finding_varies(const struct record_finding *finding);

/* Adds outcome `index` as the next one. The reference comes first, with NULL for `place` and
 * `difference`. For others, `place` (takes ownership) and `difference` describe the difference from
 * the reference. */
void outcome_finding_add(struct record_finding *finding, const struct outcomes *outcomes,
                         guint index, char *place, const struct outcome_difference *difference);

/* Does the same for an outcome that begins with this interleaving. */
void outcome_finding_add_first(struct record_finding *finding, const struct record_execution *first,
                               char *place, const struct outcome_difference *difference);

/* For how many interleavings an execution stands. */
typedef guint64 (*outcome_finding_stands_for)(const void *data, guint32 execution);

/* Counts the interleavings of each outcome. `outcome_of`: guint32 in pairs, an index and an
 * execution. `numbers`: by index, the outcome's number in the finding, or 0. `stands_for`: NULL:
 * each execution is one interleaving. Returns the executions (guint32) that end differently from
 * the reference: they show the finding. */
GArray *outcome_finding_count(struct record_finding *finding, const struct outcomes *outcomes,
                              const GArray *outcome_of, const guint *numbers,
                              outcome_finding_stands_for stands_for, const void *data);

/* All outcomes have been added: sets the message and the path. */
void outcome_finding_finish(struct record_finding *finding);

#endif
