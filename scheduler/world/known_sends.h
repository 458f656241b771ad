/* Whether a rank can know that a message was sent: the send happened before what the rank does now,
 * in the order of rma_order.h. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_KNOWN_SENDS_H
#define MATCHPOINT_SCHEDULER_WORLD_KNOWN_SENDS_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/trace.h"

/* Whether that is so for one of the sends (struct op_id). Reads the whole trace. */
bool known_sends_any(const struct trace *trace, int ranks, const GArray *sends, int rank);

#endif
