/* Whether interleavings that end well leave the same: `outcome-differs`.
 *
 * A difference counts only when it comes from the choices: the reference and one interleaving of
 * each other outcome are run again, along their paths, and must leave what they left before. The
 * reference is run again when the first other outcome shows, too, so that what varies by itself
 * makes no outcomes. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOME_WATCH_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOME_WATCH_H

#include "outcomes.h"
#include "session.h"

struct outcome_watch;
struct shard;

struct outcome_watch *outcome_watch_new(struct session *session);
void outcome_watch_free(struct outcome_watch *watch);

/* NULL: they are not compared. */
const struct outcomes *outcome_watch_outcomes(const struct outcome_watch *watch);

/* An interleaving has ended well: what it left is compared. */
void outcome_watch_add(struct outcome_watch *watch, const struct record_execution *record,
                       const GArray *choices);

/* Between two interleavings: looks closer when outcomes have begun to differ. */
void outcome_watch_suspect(struct outcome_watch *watch);

/* Whether two outcomes are known that differ by the choices: the finding is sure to come. */
bool outcome_watch_sure(const struct outcome_watch *watch);

/* In the end: a finding when they do; writes what merges with other stores must know. */
void outcome_watch_conclude(struct outcome_watch *watch, const struct shard *shard);

/* Adds a note (char *) when there were too many to be told apart. */
void outcome_watch_note(const struct outcome_watch *watch, GPtrArray *notes);

#endif
