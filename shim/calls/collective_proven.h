/* Whether all members of a communicator have come to a collective, with the same arguments. Then
 * each may go on without GO (shim/request/proven.h): the scheduler would let all of them go. They
 * find out by a reduction of a hash of the arguments on the shadow. So MPI never carries out a
 * collective in which members disagree: they wait for GO, and the scheduler reports it. */
#ifndef MATCHPOINT_SHIM_CALLS_COLLECTIVE_PROVEN_H
#define MATCHPOINT_SHIM_CALLS_COLLECTIVE_PROVEN_H

#include <stdbool.h>

#include <mpi.h>

#include "common/wire.h"
#include "mpi_calls.h"

/* Waits for a moment. Every member of `comm` must call this in each of its blocking collectives, in
 * the same order. `op` is that of the call. */
bool collective_is_proven(MPI_Comm comm, enum mpi_call function, const struct wire_op *op);

#endif
