/* Calls that MPI carries out by itself, and that may wait for other ranks: one-sided communication,
 * shared file pointers, requests of MPI's own ("waits" in mpi_calls.txt). They are not reported,
 * because there can be many. The rank notes which one it is in. The scheduler reads that note from
 * the rank's memory when the rank has been silent for long (scheduler/liveness/stall.h).
 *
 * Noted, too, are collectives that MPI carries out after all members have met at the scheduler, and
 * the times when the shim drives MPI's progress, and MPI_Reduce_local ("computes" in
 * mpi_calls.txt): MPI may then call a function of the program's MPI_Op that never returns. */
#ifndef MATCHPOINT_SHIM_GATE_BLOCKING_CALL_H
#define MATCHPOINT_SHIM_GATE_BLOCKING_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"

/* For a wrapper, with its own return address. true: noted; blocking_call_leave must follow. */
bool blocking_call_enter(unsigned function, void *site);

/* The same for a call that waits for no rank, but in which a function of the program may never
 * return. */
bool blocking_call_compute(unsigned function, void *site);

/* The same inside a controlled call, with the call's site. */
void blocking_call_wait(unsigned function, uint64_t site);
void blocking_call_leave(void);

/* All members of the collective have called: noted until blocking_call_leave. */
void blocking_call_meet(unsigned function, uint64_t site);

/* Around driving MPI's progress in the call opened last; _step begins a step of it. If the rank has
 * noted a call already, that note stays. blocking_call_driven takes what blocking_call_drive
 * returned. */
struct wire_blocking_call blocking_call_drive(void);
void blocking_call_step(void);
void blocking_call_driven(const struct wire_blocking_call *before);

/* Around functions of the program that run inside the call: meanwhile the rank is not in it. Resume
 * takes what pause returned. */
struct wire_blocking_call blocking_call_pause(void);
void blocking_call_resume(const struct wire_blocking_call *before);

/* Address of the note in this process: a struct wire_blocking_call. */
uint64_t blocking_call_address(void);

#endif
