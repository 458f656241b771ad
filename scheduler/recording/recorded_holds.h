/* Where ranks that are replayed beside each other wait (common/recording_steps.h): for each call
 * that gave a recorded rank data of others, the calls of theirs that it needs. A message needs its
 * send; a collective needs the calls of those members whose data it gives. Pure. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_HOLDS_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_HOLDS_H

#include "recorded_execution.h"

/* Of these are more than a computer has memory for. */
enum { RECORDED_HOLDS_MOST = 20000000 };

/* Returns, by rank, a GArray of struct recording_hold, by call. NULL: there are more than
 * RECORDED_HOLDS_MOST. `probes` and `skips_polls` of the logs are not used. */
GPtrArray *recorded_holds(const struct recorded_logs *logs);

#endif
