/* Calls that MPI carries out by itself and that may wait for other ranks: one-sided communication,
 * shared file pointers, requests of MPI's own ("waits" in mpi_calls.txt). The scheduler is not
 * told, as such calls can be many; the rank notes which one it is inside, and the scheduler reads
 * that from outside (scheduler/run/stall.h) when it has heard nothing for long.
 *
 * Collectives that MPI carries out once all members have met at the scheduler are noted, too; and
 * so are where the shim itself drives MPI's progress and MPI_Reduce_local ("computes" in
 * mpi_calls.txt), as a function that MPI calls there, of the program's MPI_Op, may never return. */
#ifndef MATCHPOINT_SHIM_GATE_BLOCKING_CALL_H
#define MATCHPOINT_SHIM_GATE_BLOCKING_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"

/* A wrapper with its own return address. True: noted, and blocking_call_leave must follow. */
bool blocking_call_enter(unsigned function, void *site);

/* The same for a call that waits for nobody, but in which a function of the program may never
 * return. */
bool blocking_call_compute(unsigned function, void *site);

/* The same from within a controlled call, with the site that it was given. */
void blocking_call_wait(unsigned function, uint64_t site);
void blocking_call_leave(void);

/* All members of the collective have come: inside it until blocking_call_leave. */
void blocking_call_meet(unsigned function, uint64_t site);

/* The same while the call opened last drives MPI's progress; if the rank is inside one already, it
 * stays inside that. blocking_call_driven takes what blocking_call_drive returned. */
struct wire_blocking_call blocking_call_drive(void);
void blocking_call_step(void);
void blocking_call_driven(const struct wire_blocking_call *before);

/* Functions of the program run inside it: the rank is not meanwhile. Resume takes what pause
 * returned. */
struct wire_blocking_call blocking_call_pause(void);
void blocking_call_resume(const struct wire_blocking_call *before);

/* Where this process keeps its note: a struct wire_blocking_call. */
uint64_t blocking_call_address(void);

#endif
