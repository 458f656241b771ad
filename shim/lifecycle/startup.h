/* From the loading of the shim to the end of the process: MPI_Init, MPI_Finalize,
 * sessions, MPI_Abort, and what must be arranged around them.
 *
 * Environment, set by the scheduler: MATCHPOINT_SOCKET (absolute path of the control socket),
 * MATCHPOINT_DIRECTORY (the run directory), MATCHPOINT_WORLD (the world's number; its directory is
 * w<number>), MATCHPOINT_STDIN (optional: what ranks read as standard input). The launcher sets
 * PMI_RANK. Without MATCHPOINT_SOCKET and PMI_RANK the shim does nothing. */
#ifndef MATCHPOINT_SHIM_LIFECYCLE_STARTUP_H
#define MATCHPOINT_SHIM_LIFECYCLE_STARTUP_H

#include <stdbool.h>

#include <mpi.h>

#include "mpi_calls.h"

/* For a call that comes while nothing is under control: when that is because it comes before
 * MPI_Init or after MPI_Finalize the scheduler is told, and it does not return. */
void startup_check_order(enum mpi_call function, const void *site);

/* For the wrapper of a call that goes to MPI unseen, with its own return address: whether the call
 * is the program's own, between MPI_Init and MPI_Finalize. Elsewhere the call may be a mistake
 * (startup_check_order), and so it may in this thread (threading.h). */
bool startup_enter_unseen(enum mpi_call function, const void *site);

/* MPI_Abort that passes through, as in the function of an MPI_Op. In MPICH 4.2 it returns when the
 * process manager does not kill at once; a managed rank stays where it is until it is killed. */
int startup_abort(MPI_Comm comm, int errorcode);

/* Flushes the streams of C, C++ and Fortran. */
void startup_flush(void);

#endif
