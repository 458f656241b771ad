/* Partitioned communication (MPI 4.0, chapter 4). */
#ifndef MATCHPOINT_SHIM_CALLS_PARTITIONED_H
#define MATCHPOINT_SHIM_CALLS_PARTITIONED_H

#include <stdint.h>

#include "common/wire.h"
#include "shim/request/request.h"

/* Starts a partitioned send or receive. Adds its operation to the call, if there is one already.
 * MPI's code. */
int partitioned_start(struct request *request, struct wire_call *call, uint32_t sub);

#endif
