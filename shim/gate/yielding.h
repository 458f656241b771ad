/* While MPI initialises itself, or makes a communicator, ranks wait for one another many times by
 * looking at a word of shared memory over and over (MPICH's MPIDU_Init_shm_barrier, or its
 * progress), without ever giving way. Where there are more ranks than cores each such wait costs
 * time slices of ranks that could go on. So a timer lets others go first, every so often. */
#ifndef MATCHPOINT_SHIM_GATE_YIELDING_H
#define MATCHPOINT_SHIM_GATE_YIELDING_H

#include <stdbool.h>

/* Around what the library does by itself, by the same thread, with no call of the gate's in
 * between. `waits`: there is little to do but to wait; else others go first only where the thread
 * has not moved from since the timer looked last. Does nothing where the program uses or blocks the
 * signal for it (SIGVTALRM, which debuggers pass on without a word). The end may be told without a
 * beginning. */
void yielding_begin(bool waits);
void yielding_end(void);

#endif
