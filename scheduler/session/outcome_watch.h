/* Compares the outcomes of interleavings that end well: `outcome-differs`.
 *
 * A difference counts only if it comes from the choices. Therefore the reference and one
 * interleaving of each other outcome are run again, along their paths, and must have the same
 * outcome again. The reference is also run again when the first other outcome shows, so that lines
 * that vary by themselves do not create outcomes. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_OUTCOME_WATCH_H
#define MATCHPOINT_SCHEDULER_SESSION_OUTCOME_WATCH_H

#include "outcomes.h"
#include "session.h"

struct outcome_watch;
struct shard;

struct outcome_watch *outcome_watch_new(struct session *session);
void outcome_watch_free(struct outcome_watch *watch);

/* NULL: outcomes are not compared. */
struct outcomes *outcome_watch_outcomes(const struct outcome_watch *watch);

/* An interleaving has ended well: compares its outcome. */
void outcome_watch_add(struct outcome_watch *watch, const struct record_execution *record,
                       const GArray *choices);

/* Call it between two interleavings. Checks whether outcomes differ by the choices, once some
 * differ. */
void outcome_watch_suspect(struct outcome_watch *watch);

/* Whether two outcomes are known to differ by the choices: the finding is certain. */
bool outcome_watch_sure(const struct outcome_watch *watch);

/* Whether an interleaving has printed this (GBytes, by rank), as far as it is compared; or it is
 * not known, as there were too many outcomes, or outcomes are not compared. */
bool outcome_watch_shows(const struct outcome_watch *watch, const GPtrArray *outputs);

/* `runs`: what several runs without control printed (GPtrArray of GBytes, by rank); no interleaving
 * has printed the same as the first. Returns where that differs from the first interleaving, in a
 * line that varies neither in those runs nor when the interleaving is run again; NULL: nowhere, or
 * it is not known. Free with g_free. Call it last: lines are left out for it. */
char *outcome_watch_never_printed(struct outcome_watch *watch, const GPtrArray *runs);

/* At the end: adds a finding if outcomes differ, and writes what merges with other stores need. */
void outcome_watch_conclude(struct outcome_watch *watch, const struct shard *shard);

/* For --resume, if files are compared: stores do not have their contents. outcome_watch_restore:
 * false and `error` set, if that was too much to save. After it, outcome_watch_add takes the stored
 * interleavings; outcome_watch_is_whole: none was missing. */
void outcome_watch_save(const struct outcome_watch *watch, GVariantDict *dict);
bool outcome_watch_restore(struct outcome_watch *watch, GVariantDict *dict, GError **error);
bool outcome_watch_is_whole(const struct outcome_watch *watch);

/* Adds a limit (limits_add) if outcomes or files were too many or too large. */
void outcome_watch_limits(const struct outcome_watch *watch, GPtrArray *limits);

#endif
