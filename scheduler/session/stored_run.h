/* Reads interleavings of a store as they were when they had just ended, to add them again
 * (session_past.c, merge.c), and recognises those that have been added. Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_STORED_RUN_H
#define MATCHPOINT_SCHEDULER_SESSION_STORED_RUN_H

#include "explorer/path.h"
#include "scheduler/store/reader.h"

/* The buffering under which it ran. */
enum buffering stored_run_buffering(const struct record_execution *execution);

/* The choices made (struct choice); free with g_array_unref. */
GArray *stored_run_choices(const struct record_execution *execution);

/* Copies of the findings that it shows (struct record_finding), for findings_add. Judgements on all
 * interleavings are left out; they are made again. The caller owns the array and its elements. */
GPtrArray *stored_run_findings(const struct store_reader *reader,
                               const struct record_execution *execution);

/* The identity of an interleaving: a digest of its conditions, its choices in any order, and the
 * findings that it shows (struct record_finding). The number of a message that a choice takes is no
 * part of it (position.h). Free with g_free. */
char *stored_run_identity(const struct record_execution *execution, const GPtrArray *shown);

/* Whether the store has all findings that it shows. */
bool stored_run_is_whole(const struct store_reader *reader,
                         const struct record_execution *execution);

/* Whether it ended well, even if it showed findings. */
bool stored_run_ended_well(const struct record_execution *execution);

/* A copy of a finding with its counts reset. */
struct record_finding *stored_run_finding(const struct record_finding *finding);

#endif
