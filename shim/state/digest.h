/* A digest of all that the program goes by when the call in which its rank waits returns: if it is
 * the same twice, with the same answers in between, the program is in a circle.
 *
 * That is the private memory that has ever been written, the stack from the caller's frame
 * outwards, and the registers that a call preserves. Left out is what the shim changes by itself,
 * and the stacks of threads that MPI has made. What a program learns from outside (files, sockets,
 * shared memory, the processor's counter) is not in it; clocks are told otherwise (clocks.h). */
#ifndef MATCHPOINT_SHIM_STATE_DIGEST_H
#define MATCHPOINT_SHIM_STATE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/process/memory_range.h"

/* When MPI is initialised: the threads that are there are MPI's. */
void digest_know_threads(void);

/* `site`: the call's return address in the program; `own`: memory of the shim's on the heap. For
 * the program's only thread. False: it cannot be told, for threads or timers of the program's, a
 * stack that cannot be unwound, or much memory. */
bool digest_take(uint64_t site, const struct memory_range *own, size_t own_count, uint64_t ret[2]);

#endif
