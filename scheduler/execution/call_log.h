/* The calls that every rank has made in one interleaving. They are compared when the same path
 * is followed again. If calls depend on something besides matching, the program is not
 * reproducible. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_CALL_LOG_H
#define MATCHPOINT_SCHEDULER_EXECUTION_CALL_LOG_H

#include "scheduler/world/world.h"

struct call_log;

struct call_log *call_log_take(const struct world *world);
void call_log_free(struct call_log *log);

/* Returns a sentence about the first call, by rank and number, that differs in this world: "rank
 * 1's call 7 was MPI_Send, and is MPI_Recv when the same path is followed again". NULL: each rank
 * made the same calls. Free with g_free. */
char *call_log_difference(const struct call_log *log, const struct world *world);

#endif
