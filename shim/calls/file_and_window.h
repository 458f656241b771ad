/* MPI-IO and one-sided communication pass to MPI unchanged, but their collective calls meet at the
 * scheduler first. So no rank spins for a member that has not called, and deadlocks through these
 * calls are found. Other synchronisation on windows is reported, too (window.c). */
#ifndef MATCHPOINT_SHIM_CALLS_FILE_AND_WINDOW_H
#define MATCHPOINT_SHIM_CALLS_FILE_AND_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"

/* Return MPI_SUCCESS when all members of the file's (window's) group have made the call. The
 * members must agree on `arguments`, a hash; 0: nothing to agree on. */
int file_meet(const void *site, enum mpi_call function, MPI_File file, uint64_t arguments);
int window_meet(const void *site, enum mpi_call function, MPI_Win window, uint64_t arguments);

/* A call of the program is about to move the shared file pointer. */
void file_pointer_moves(enum mpi_call function, const void *site, MPI_File file);

/* A call of the program is about to read or write. `offset` in elementary types of the view;
 * FILE_POSITION: at the rank's own file pointer. */
enum { FILE_POSITION = -1 };
void file_accessed(enum mpi_call function, const void *site, MPI_File file, MPI_Offset offset,
                   MPI_Count count, MPI_Datatype type, bool writes);

/* The meeting before MPI_Win_free. */
void window_meet_to_free(const void *site, MPI_Win window);

#endif
