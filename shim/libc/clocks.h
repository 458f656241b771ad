/* The C library's clocks, replaced for the program: it is noted that it has asked what time it is.
 * A loop that does may have a time limit. (MPI_Wtime asks the same clocks.) */
#ifndef MATCHPOINT_SHIM_LIBC_CLOCKS_H
#define MATCHPOINT_SHIM_LIBC_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the program has asked since this was called last. */
bool clocks_were_asked(void);

/* Whether others than the calling thread may go by the time as well, and by the machine's: threads
 * that the program has made, and children. */
bool clocks_are_real(void);

/* What the calling thread has computed so far, in microseconds. */
uint64_t clocks_computed(void);

#endif
