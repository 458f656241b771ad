/* Calls of several ranks that move the shared file pointer of one open file (MPI 3.1, section
 * 13.4.4), in no order: MPI serves one after the other, whichever comes first. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_FILE_ORDER_H
#define MATCHPOINT_SCHEDULER_WORLD_FILE_ORDER_H

#include <stdbool.h>

#include "explorer/trace.h"
#include "rma_log.h"

/* Whether there are two such calls of different ranks, neither of which happens before the other by
 * messages or collectives (rma_order.h). */
bool file_order_is_open(const struct rma_log *log, const struct trace *trace, int ranks);

#endif
