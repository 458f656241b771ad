/* A recorded run as a guide: the whole job runs again under control, and takes at each choice what
 * the recording tells (docs/internals/recording.md). */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_RUN_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_RUN_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/path.h"
#include "scheduler/execution/strategy.h"
#include "scheduler/world/communicators.h"

struct recorded_run;

/* Reads all ranks, each by a replay. NULL with `error` set: a rank cannot be replayed, or no such
 * run can be followed. */
struct recorded_run *recorded_run_read(const char *directory, GError **error);
void recorded_run_free(struct recorded_run *run); /* NULL is legal */

/* The buffering under which all that was recorded is possible: infinite; per-send, if a rank stood
 * in a send. */
enum buffering recorded_run_buffering(const struct recorded_run *run);

/* Makes the strategy that follows it (`guide` of struct session_options). `run` must outlive it. */
struct strategy *recorded_run_strategy(void *run, const struct communicators *comms);

/* Patient: every poll is answered "not yet" first where it can be, whatever the recording tells, as
 * the search does (explorer.h). A program that only polls again comes to the same; another one does
 * not follow the recording then. */
void recorded_run_set_patient(struct recorded_run *run, bool is_patient);

struct recorded_run_result {
	const char *lost;          /* where the program did not follow it; NULL: it did */
	guint matches;             /* messages that were recorded as received or found */
	guint followed;            /* those of them that were received or found here as well */
	bool is_over;              /* it was ended where the recording ends */
	const char *path;          /* of the run; NULL: it has not come to an end */
	const struct trace *trace; /* of the same */
};
/* Valid until the run is freed. */
struct recorded_run_result recorded_run_result(const struct recorded_run *run);

/* Notes on how far it was followed (char *): what may explain a difference, where the recording
 * ends, polls whose number was another one. Free with g_ptr_array_unref. */
GPtrArray *recorded_run_notes(const struct recorded_run *run);

#endif
