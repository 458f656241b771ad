/* Direct accesses of this process (common/direct_access.h): loads and stores of the program in
 * windows, and in the buffers of operations under way. They are seen only in objects compiled for
 * it; without any, all functions here do nothing.
 *
 * Between two MPI calls, accesses are gathered as sets of intervals, one for each place in the
 * program. When the next call begins, those in windows are reported (access.h) and those in buffers
 * are compared with the operations under way (overlap.h). So they keep their place among the calls
 * of the rank. If there are too many, the rest is reported as unknown. */
#ifndef MATCHPOINT_SHIM_CHECK_DIRECT_H
#define MATCHPOINT_SHIM_CHECK_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

/* Whether some object of this process reports its loads and stores. Never changes back. */
bool direct_is_used(void);

/* Bytes from `low` to below `high` are to be watched, once more; or once less. */
void direct_watch(uintptr_t low, uintptr_t high);
void direct_unwatch(uintptr_t low, uintptr_t high);

/* An MPI call of the program begins: handles what has been gathered. */
void direct_flush(void);

#endif
