/* Calls of several ranks on one open file, in no order: MPI serves one after the other, whichever
 * comes first. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_FILE_ORDER_H
#define MATCHPOINT_SCHEDULER_WORLD_FILE_ORDER_H

#include <stdbool.h>

#include "explorer/trace.h"
#include "rma_log.h"

struct file_order {
	bool pointer;  /* both move the shared file pointer (MPI 3.1, section 13.4.4) */
	bool accesses; /* both use some byte, and one writes it (section 13.6.1) */
};

/* Whether there are two such calls of different ranks, neither of which happens before the other by
 * messages or collectives (rma_order.h). */
struct file_order file_order_find(const struct rma_log *log, const struct trace *trace, int ranks);

#endif
