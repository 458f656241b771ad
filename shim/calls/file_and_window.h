/* MPI-IO and one-sided communication go to the library as they are, but their collective calls meet
 * at the scheduler first: no rank then spins for a peer that is not there, and a deadlock through
 * them is seen. The other ways to synchronise on a window are told to it, too (window.c). */
#ifndef MATCHPOINT_SHIM_CALLS_FILE_AND_WINDOW_H
#define MATCHPOINT_SHIM_CALLS_FILE_AND_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"

/* Returns MPI_SUCCESS once all members of the file's (window's) group have made the call. They must
 * agree on `arguments`, a hash (0: of nothing). */
int file_meet(const void *site, enum mpi_call function, MPI_File file, uint64_t arguments);
int window_meet(const void *site, enum mpi_call function, MPI_Win window, uint64_t arguments);

/* The meeting before MPI_Win_free. */
void window_meet_to_free(const void *site, MPI_Win window);

#endif
