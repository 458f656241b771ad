/* Calls that MPI lets pass although the standard does not allow them there. The program goes on as
 * it would without matchpoint; the scheduler is told, and makes a finding of it. */
#ifndef MATCHPOINT_SHIM_CHECK_MISUSE_H
#define MATCHPOINT_SHIM_CHECK_MISUSE_H

#include "access.h"
#include "common/wire.h"

/* The call opened last, which has been reported, frees or cancels the request of a collective that
 * is under way (MPI 3.1, section 5.12). */
void misuse_collective(enum wire_misuse_why why, enum mpi_call function, const void *site);

/* The library has taken a call that moves data: with a request it must be made under a lock of its
 * window (MPI 3.1, section 11.3.5), which `lacks_lock` says that it was not; and what moves must be
 * what is named where it goes, and have room there (section 11.3). */
void misuse_look_at_access(const struct access_call *call, bool lacks_lock);

/* A call has been made that receives into this: it must not have a byte twice (section 4.1.11). */
void misuse_look_at_receive(enum mpi_call function, const void *site, MPI_Count count,
                            MPI_Datatype type);
/* For that: whether this process is the root; whether MPI_Scatter and its kin give it something to
 * be received; how many partners have a datatype each. */
bool misuse_is_root(MPI_Comm comm, int root);
bool misuse_is_scattered_to(MPI_Comm comm, int root, const void *buffer);
int misuse_partners(MPI_Comm comm, bool neighbors);

#endif
