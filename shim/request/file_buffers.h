/* The buffers of operations on files that are not complete: nonblocking ones, and split collectives
 * between their two calls (MPI 3.1, sections 13.4.2 and 13.4.5). Until then a buffer belongs to
 * MPI. Told: the program changes what is written, frees the memory or leaves the function whose
 * variable it is, or another operation uses the bytes (overlap.h).
 *
 * MPI carries these operations out by itself, at a time that is not known. So what is read into
 * memory is not compared. Neither is memory of a window, where other processes may write. */
#ifndef MATCHPOINT_SHIM_REQUEST_FILE_BUFFERS_H
#define MATCHPOINT_SHIM_REQUEST_FILE_BUFFERS_H

#include <stdbool.h>

#include <mpi.h>

#include "mpi_calls.h"

/* The program's call at `site` has begun an operation with this request of MPI's, or a split
 * collective on this file. If memory is out, it is not watched. */
void file_buffers_request(enum mpi_call function, const void *site, MPI_Request request,
                          const void *data, MPI_Count count, MPI_Datatype type, bool writes);
void file_buffers_split(enum mpi_call function, const void *site, MPI_File file, const void *data,
                        MPI_Count count, MPI_Datatype type, bool writes);

/* The call opened last has completed the request, or has seen that it is complete. Others may be
 * given, too. */
void file_buffers_done(MPI_Request request);
/* The program has freed the request: nobody sees when it is complete. */
void file_buffers_freed(MPI_Request request);

/* The call at `site`, which has no number, has completed the file's split collective. */
void file_buffers_joined(enum mpi_call function, const void *site, MPI_File file);

#endif
