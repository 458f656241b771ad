/* From loading the shim to the end of the process: MPI_Init, MPI_Finalize, sessions, MPI_Abort, and
 * what surrounds them.
 *
 * Environment, set by the scheduler: MATCHPOINT_SOCKET (absolute path of the control socket),
 * MATCHPOINT_DIRECTORY (the run directory), MATCHPOINT_WORLD (the world's number; its directory is
 * w<number>), MATCHPOINT_STDIN (optional: standard input of ranks). The launcher sets PMI_RANK.
 * Without MATCHPOINT_SOCKET and PMI_RANK the shim does nothing. */
#ifndef MATCHPOINT_SHIM_LIFECYCLE_STARTUP_H
#define MATCHPOINT_SHIM_LIFECYCLE_STARTUP_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"

/* Once PMI_RANK is set, also by a launcher: before main(), makes this process a rank. Does nothing
 * if it is none. */
void startup_load(void);
/* The number of the rank's world, from then on. */
uint32_t startup_world(void);

/* For a call that is not controlled. If it comes before MPI_Init or after MPI_Finalize, reports
 * that and does not return. */
void startup_check_order(enum mpi_call function, const void *site);

/* For the wrapper of a call that passes to MPI uncontrolled; `site` is its return address. Whether
 * the call is the program's own, between MPI_Init and MPI_Finalize. Also checks that the call is
 * allowed now (startup_check_order) and in this thread (threading.h). */
bool startup_enter_unseen(enum mpi_call function, const void *site);

/* Before main(), in a process that waits to be spawned, as one of this group: initialises MPI, and
 * waits. Then the process stands before main() with other arguments (shim/calls/spawn.h). `site`:
 * where main() is. */
struct prelaunched;
void startup_wait_for_spawn(const struct prelaunched *group, const void *site, int *count,
                            char ***arguments);

/* MPI_Abort that passes through, for example from the function of an MPI_Op. In MPICH 4.2 it
 * returns if the process manager does not kill at once. A managed rank then waits to be killed. */
int startup_abort(MPI_Comm comm, int errorcode);

/* Flushes the streams of C, C++ and Fortran. */
void startup_flush(void);

#endif
