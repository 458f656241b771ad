/* The findings of a session. Equal findings of several interleavings are one finding, with a count.
 * Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_FINDINGS_H
#define MATCHPOINT_SCHEDULER_SESSION_FINDINGS_H

#include <stdbool.h>

#include "explorer/path.h"
#include "scheduler/store/record.h"

struct findings;

struct findings *findings_new(guint bufferings);
void findings_free(struct findings *findings);

/* Adds a finding of an interleaving (takes ownership) with the path of that interleaving. Returns
 * the finding that represents it from now on. */
struct record_finding *findings_add(struct findings *findings, struct record_finding *finding,
                                    const struct record_execution *execution,
                                    const GArray *choices);

/* Whether an equal finding has been added. */
bool findings_known(const struct findings *findings, const struct record_finding *finding);

/* The same, by an interleaving under this buffering (one of RECORD_BUFFERINGS). */
bool findings_known_under(const struct findings *findings, const struct record_finding *finding,
                          guint32 buffering);

/* Adds an interleaving that ended well, even if it showed findings (execution->findings). */
void findings_add_good(struct findings *findings, const struct record_execution *execution,
                       const GArray *choices);

/* The choices (struct choice) and the number of the first good interleaving under a buffering, to
 * be freed with g_array_unref; NULL: none. */
GArray *findings_good(const struct findings *findings, enum buffering buffering,
                      guint32 *ret_execution);

/* Records that good interleavings show this finding after all. `executions`: guint32, sorted; they
 * are all that show it, so their number becomes its count. */
void findings_show(struct findings *findings, guint id, const GArray *executions);

/* All findings (struct record_finding), by id. */
GPtrArray *findings_all(const struct findings *findings);

/* The choices and the buffering of the interleaving that showed finding `id` first. */
const GArray *findings_choices(const struct findings *findings, guint id,
                               enum buffering *ret_buffering);

/* The choices of that interleaving that a path has to name, as far as known without a replay. A
 * replay makes the others by default. */
const GArray *findings_least(const struct findings *findings, guint id);

/* The path that names all its choices; NULL: not known. */
const char *findings_whole_path(const struct findings *findings, guint id);

/* Whether the session explores both bufferings and the finding has shown under both. */
bool findings_everywhere(const struct findings *findings, guint id);

/* The number of the interleaving that showed it first. */
guint32 findings_execution(const struct findings *findings, guint id);

/* Whether the same interleaving showed both findings first. */
bool findings_same_route(const struct findings *findings, guint id, guint other);

/* Records that of a finding's choices `choice` is to blame: the program ends well with the same
 * choices if that point takes `good`. No effect if its first interleaving did not make it. */
void findings_blame_on(struct findings *findings, guint id, const struct choice *choice,
                       const struct taken *good);

/* Sets for each finding the choice to blame: the recorded one, else the first at which it differs
 * from a good interleaving that does not show it, the one with the longest common beginning. Call
 * it when all have been added. */
void findings_blame(struct findings *findings);

#endif
