/* The C library's clocks, replaced for the program: notes that the program has read a clock. A loop
 * that reads one may have a time limit. (MPI_Wtime reads the same clocks.) */
#ifndef MATCHPOINT_SHIM_LIBC_CLOCKS_H
#define MATCHPOINT_SHIM_LIBC_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the program has read a clock since the last call of this function. */
bool clocks_were_asked(void);

/* Whether real time may matter to others than the calling thread: threads that the program has
 * made, and its children. */
bool clocks_are_real(void);

/* Computing time of the calling thread so far, in microseconds. */
uint64_t clocks_computed(void);

#endif
