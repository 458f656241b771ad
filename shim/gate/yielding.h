/* While MPI initialises itself, or makes a communicator, ranks wait for one another many times.
 * They read a word of shared memory over and over (MPICH's MPIDU_Init_shm_barrier, or its progress)
 * and never yield. With more ranks than cores, each such wait takes time slices from ranks that
 * could run. So a timer looks at the waiting thread every so often, and makes it pause or yield. */
#ifndef MATCHPOINT_SHIM_GATE_YIELDING_H
#define MATCHPOINT_SHIM_GATE_YIELDING_H

#include <stdbool.h>

/* Around what MPI does by itself: in the same thread, without a call of the gate in between.
 * `waits`: MPI mostly waits, so the thread always yields; else it pauses if it has not moved since
 * the timer's last signal, or is where it has paused before. Does nothing if the program uses or
 * blocks the signal (SIGVTALRM, which debuggers pass on silently). yielding_end may come without a
 * begin. */
void yielding_begin(bool waits);
void yielding_end(void);

#endif
