/* What every rank has called in one interleaving, kept to be compared when the same path is
 * followed again: a program whose calls depend on something besides matching is not reproducible.
 * */
#ifndef MATCHPOINT_SCHEDULER_RUN_CALL_LOG_H
#define MATCHPOINT_SCHEDULER_RUN_CALL_LOG_H

#include "scheduler/world/world.h"

struct call_log;

struct call_log *call_log_take(const struct world *world);
void call_log_free(struct call_log *log);

/* The first call, by rank and number, that is another one in this world, as a sentence ("rank 1's
 * call 7 was MPI_Send, and is MPI_Recv when the same path is followed again"); NULL: all calls that
 * both have are the same and each rank made as many. Free with g_free. */
char *call_log_difference(const struct call_log *log, const struct world *world);

#endif
