/* What the generated wrappers note of the life of MPI's objects (objects.h), and what the scheduler
 * is told of it at MPI_Finalize and when the process ends. Which calls give and take objects
 * follows from their prototypes: call_objects.py. */
#ifndef MATCHPOINT_SHIM_CALLS_TRACKING_H
#define MATCHPOINT_SHIM_CALLS_TRACKING_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"
#include "mpi_calls.h"

/* The call has given the program this handle, which may be null or predefined, in the variable at
 * `where`; or the program has given it back from there. Files are pointers, all other handles
 * numbers. */
void tracking_made(enum wire_object kind, uintptr_t handle, const void *where,
                   enum mpi_call function, const void *site);
void tracking_freed(enum wire_object kind, uintptr_t handle, const void *where);

/* Datatypes as MPI_Type_get_contents and MPI_File_get_view give them, predefined ones or not (MPI
 * 3.1, sections 4.1.13 and 13.3). */
void tracking_got_types(MPI_Count count, const MPI_Datatype *types, enum mpi_call function,
                        const void *site);
/* Those of MPI_Type_get_contents, as many as there are in `type`. */
void tracking_got_contents(MPI_Datatype type, const MPI_Datatype *types, enum mpi_call function,
                           const void *site);

/* Tell the scheduler what is left and should be gone by MPI_Finalize; by the end of the process. */
void tracking_report(void);
void tracking_report_last(void);

#endif
