/* One MPI call of a recorded rank, in words: what it was given, where, and what it got. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_TOLD_CALL_H
#define MATCHPOINT_SCHEDULER_RECORDING_TOLD_CALL_H

#include <glib.h>
#include <stdbool.h>

/* `number` counts all MPI calls of the rank, from 1. The rank is replayed up to it, with its output
 * nowhere, for at most a minute. Returns lines, or one line that says why nothing is known, and
 * *ret_is_known is false; free with g_free. */
char *told_call(const char *directory, int rank, guint64 number, bool *ret_is_known);

#endif
