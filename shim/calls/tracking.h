/* Records that the generated wrappers make of MPI objects (objects.h), and the reports at
 * MPI_Finalize and at the end of the process. Which calls give and free objects follows from their
 * prototypes: call_objects.py. */
#ifndef MATCHPOINT_SHIM_CALLS_TRACKING_H
#define MATCHPOINT_SHIM_CALLS_TRACKING_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"
#include "mpi_calls.h"

/* The call has stored this handle, which may be null or predefined, in the program's variable at
 * `where`; or the program has freed it from there. Files are pointers, all other handles
 * numbers. */
void tracking_made(enum wire_object kind, uintptr_t handle, const void *where,
                   enum mpi_call function, const void *site);
void tracking_freed(enum wire_object kind, uintptr_t handle, const void *where);

/* Datatypes from MPI_Type_get_contents or MPI_File_get_view, which may be predefined (MPI 3.1,
 * sections 4.1.13 and 13.3). */
void tracking_got_types(MPI_Count count, const MPI_Datatype *types, enum mpi_call function,
                        const void *site);
/* Those of MPI_Type_get_contents: as many as `type` has. */
void tracking_got_contents(MPI_Datatype type, const MPI_Datatype *types, enum mpi_call function,
                           const void *site);

/* Report objects to the scheduler that are left: at MPI_Finalize, and at the end of the process. */
void tracking_report(void);
void tracking_report_last(void);

#endif
