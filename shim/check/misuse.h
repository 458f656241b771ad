/* Calls that MPI accepts although the standard does not allow them there. The program continues as
 * it would without matchpoint. The scheduler gets a report and makes a finding of it. */
#ifndef MATCHPOINT_SHIM_CHECK_MISUSE_H
#define MATCHPOINT_SHIM_CHECK_MISUSE_H

#include "access.h"
#include "common/wire.h"

/* The call opened last frees or cancels the request of a collective under way (MPI 3.1, section
 * 5.12). The call has been reported. */
void misuse_collective(enum wire_misuse_why why, enum mpi_call function, const void *site);

/* The same for a call that is not reported, or not yet. */
void misuse_note(enum wire_misuse_why why, enum mpi_call function, const void *site);

/* MPI has taken a call that moves data. `lacks_lock`: the call returns a request, and its window is
 * not locked (MPI 3.1, section 11.3.5). Also checks that the types of both sides match, and that
 * the data fits (section 11.3). */
void misuse_check_access(const struct access_call *call, bool lacks_lock);

/* A call that receives into this has been made. No byte may occur twice (section 4.1.11). */
void misuse_check_receive(enum mpi_call function, const void *site, MPI_Count count,
                          MPI_Datatype type);
/* Helpers for its callers: whether this process is the root; whether MPI_Scatter and its variants
 * deliver data to it; the number of partners that have a datatype each. */
bool misuse_is_root(MPI_Comm comm, int root);
bool misuse_is_scattered_to(MPI_Comm comm, int root, const void *buffer);
int misuse_partners(MPI_Comm comm, bool neighbors);

#endif
