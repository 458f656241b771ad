/* MPI-IO and one-sided communication go to the library as they are, but their collective calls meet
 * at the scheduler first: no rank then spins for a peer that is not there, and a deadlock through
 * them is seen. */
#ifndef MATCHPOINT_SHIM_FILE_AND_WINDOW_H
#define MATCHPOINT_SHIM_FILE_AND_WINDOW_H

#include <stdbool.h>

#include <mpi.h>

#include "mpi_calls.h"

/* Returns MPI_SUCCESS once all members of the file's (window's) group have made the call. */
int file_meet(const void *site, enum mpi_call function, MPI_File file);
int window_meet(const void *site, enum mpi_call function, MPI_Win window);

/* Whether peers may need this rank to drive MPI's progress at any time. */
bool window_exists(void);

#endif
