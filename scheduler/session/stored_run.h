/* Interleavings that a store holds, as they were when they had just ended: for those who take them
 * in again (session_past.c, merge.c). Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_STORED_RUN_H
#define MATCHPOINT_SCHEDULER_SESSION_STORED_RUN_H

#include "explorer/path.h"
#include "scheduler/store/reader.h"

/* Under which it took place. */
enum buffering stored_run_buffering(const struct record_execution *execution);

/* The choices made (struct choice); the caller's. */
GArray *stored_run_choices(const struct record_execution *execution);

/* Copies of the findings that it shows (struct record_finding), for findings_add: but for those
 * that are judgements on all interleavings, which are given again. The caller's, as are its
 * elements. */
GPtrArray *stored_run_findings(const struct store_reader *reader,
                               const struct record_execution *execution);

/* Whether the store has all findings that it shows. */
bool stored_run_is_whole(const struct store_reader *reader,
                         const struct record_execution *execution);

/* Whether it came to its proper end, whatever it showed on the way. */
bool stored_run_ended_well(const struct record_execution *execution);

/* A copy of what a finding says, to be counted anew. */
struct record_finding *stored_run_finding(const struct record_finding *finding);

#endif
