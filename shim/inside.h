/* Calls that MPI carries out by itself and that may wait for other ranks: one-sided communication,
 * shared file pointers, requests of MPI's own ("waits" in mpi_calls.txt). The scheduler is not
 * told, as such calls can be many; the rank notes which one it is inside, and the scheduler reads
 * that from outside (scheduler/run/stall.h) when it has heard nothing for long.
 *
 * Collectives that MPI carries out once all members have met at the scheduler are noted, too; and
 * so are where the shim itself drives MPI's progress and MPI_Reduce_local ("computes" in
 * mpi_calls.txt), as a function that MPI calls there, of the program's MPI_Op, may never return. */
#ifndef MATCHPOINT_SHIM_INSIDE_H
#define MATCHPOINT_SHIM_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

/* A wrapper with its own return address. True: noted, and inside_leave must follow. */
bool inside_enter(unsigned function, void *site);

/* The same for a call that waits for nobody, but in which a function of the program may never
 * return. */
bool inside_compute(unsigned function, void *site);

/* The same from within a controlled call, with the site that it was given. */
void inside_wait(unsigned function, uint64_t site);
void inside_leave(void);

/* All members of the collective have come: inside it until inside_leave. */
void inside_meet(unsigned function, uint64_t site);

/* The same while the call opened last drives MPI's progress; if the rank is inside one already, it
 * stays inside that. inside_driven takes what inside_drive returned. */
struct wire_inside inside_drive(void);
void inside_step(void);
void inside_driven(const struct wire_inside *before);

/* Functions of the program run inside it: the rank is not meanwhile. Resume takes what pause
 * returned. */
struct wire_inside inside_pause(void);
void inside_resume(const struct wire_inside *before);

/* Where this process keeps its note: a struct wire_inside. */
uint64_t inside_address(void);

#endif
