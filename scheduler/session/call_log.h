/* The calls that every rank has made in one interleaving. They are compared when the same path
 * is followed again. If calls depend on something besides matching, the program is not
 * reproducible. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_CALL_LOG_H
#define MATCHPOINT_SCHEDULER_SESSION_CALL_LOG_H

#include "scheduler/world/world.h"

/* By rank, arrays of struct world_call. Free with g_ptr_array_unref. */
GPtrArray *call_log_take(const struct world *world);

/* Returns a sentence about the first call, by rank and number, that differs in this world: "rank
 * 1's call 7 was MPI_Send, and is MPI_Recv when the same path is followed again". NULL: each rank
 * made the same calls. Free with g_free. */
char *call_log_difference(const GPtrArray *log, const struct world *world);

#endif
