/* Threads of a recorded rank. One at a time may be inside MPI (MPI_THREAD_SERIALIZED; MPI 3.1,
 * section 12.4.3): then the order of their calls is the order of the log. */
#ifndef MATCHPOINT_SHIM_RECORD_THREADS_H
#define MATCHPOINT_SHIM_RECORD_THREADS_H

#include <stdbool.h>

#include "mpi_calls.h"

/* The calling thread begins a call: ends the program if another thread is inside MPI. */
void threads_check(enum mpi_call function);
void threads_leave(void);

/* The same for something else that goes into the log (inputs.h), which only the first thread may
 * write. false: it is another thread, or one is inside MPI. */
bool threads_begin_input(void);
void threads_end_input(void);

/* The level of thread support that a program which wants `required` gets. */
int threads_granted(int required);

#endif
