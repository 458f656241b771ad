/* Calls that MPI carries out by itself and that may wait for other ranks: one-sided communication,
 * shared file pointers, requests of MPI's own ("waits" in mpi_calls.txt). The scheduler is not
 * told, as such calls can be many; the rank notes which one it is inside, and the scheduler reads
 * that from outside (scheduler/stall.h) when it has heard nothing for long. */
#ifndef MATCHPOINT_SHIM_INSIDE_H
#define MATCHPOINT_SHIM_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

/* A wrapper with its own return address. True: noted, and inside_leave must follow. */
bool inside_enter(unsigned function, void *site);

/* The same from within a controlled call, with the site that it was given. */
void inside_wait(unsigned function, uint64_t site);
void inside_leave(void);

/* Where this process keeps its note: a struct wire_inside. */
uint64_t inside_address(void);

#endif
