/* The neighbours of this process in a communicator's topology (MPI 3.1, section 7.6): ranks, or
 * MPI_PROC_NULL, in the order of neighbourhood collectives. */
#ifndef MATCHPOINT_SHIM_MPI_NEIGHBORS_H
#define MATCHPOINT_SHIM_MPI_NEIGHBORS_H

#include <stdbool.h>

#include <mpi.h>

struct neighbors {
	int in_count, out_count;
	int *in, *out; /* owned, never NULL */
};

/* Their numbers; 0 without a topology. */
void neighbors_count(MPI_Comm comm, int *ret_in, int *ret_out);

/* false: no topology, or out of memory; there is nothing to release. */
bool neighbors_of(MPI_Comm comm, struct neighbors *ret);
void neighbors_release(struct neighbors *neighbors);

#endif
