/* A recorded run as the record of an execution, for reports. Calls, messages and collectives are
 * connected by what the ranks' logs tell; what they do not tell is left out. Pure. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_EXECUTION_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_EXECUTION_H

#include "recorded_matches.h"
#include "roll_call.h"
#include "scheduler/store/record.h"

/* Tells the place of a call of the rank that returns to `site`. */
typedef struct place recorded_place_find(void *user, int rank, guint64 site);

struct recorded_logs {
	int ranks;
	const GPtrArray *matches; /* struct recorded_matches with details, by rank; NULL: the rank
	                           * has no log that can be read */
	const GPtrArray *ends;    /* struct roll_call_entry, by rank */
	recorded_place_find *find_place;
	void *user;
	/* struct record_match: the messages that probes have found are appended. NULL: they are
	 * not asked for. */
	GArray *probes;
	bool skips_polls; /* those answered "not yet", of which there may be millions */
};

/* Returns the only execution, without a path. Appends sentences (char *) to `notes` about what is
 * left out. */
struct record_execution *recorded_execution(const struct recorded_logs *logs, GPtrArray *notes);

#endif
