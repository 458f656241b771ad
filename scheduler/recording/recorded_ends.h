/* Where each rank of a recorded run stood at its end, what it waited for, and what its log leaves
 * out. Pure. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_ENDS_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_ENDS_H

#include "recorded_comms.h"
#include "recorded_execution.h"

/* Adds the ranks to an execution that has their calls and collectives; `first`: for each rank the
 * index of its first call, then their number. Appends sentences (char *) to `notes`. */
void recorded_ends_add(const struct recorded_logs *logs, const struct recorded_comms *comms,
                       const guint *first, struct record_execution *execution, GPtrArray *notes);

#endif
