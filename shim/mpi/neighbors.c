#include "neighbors.h"

#include <stdlib.h>
#include <string.h>

#include "real.h"

static int topology_of(MPI_Comm comm)
{
	int topology = MPI_UNDEFINED;

	real_mpi()->Topo_test(comm, &topology);
	return topology;
}

void neighbors_count(MPI_Comm comm, int *ret_in, int *ret_out)
{
	int topology = topology_of(comm), weighted = 0, dimensions = 0, rank = 0;

	*ret_in = *ret_out = 0;
	if (topology == MPI_DIST_GRAPH) {
		real_mpi()->Dist_graph_neighbors_count(comm, ret_in, ret_out, &weighted);
		return;
	}
	if (topology == MPI_CART) {
		real_mpi()->Cartdim_get(comm, &dimensions);
		*ret_in = 2 * dimensions;
	} else if (topology == MPI_GRAPH) {
		real_mpi()->Comm_rank(comm, &rank);
		real_mpi()->Graph_neighbors_count(comm, rank, ret_in);
	}
	*ret_out = *ret_in;
}

/* (MPI_UNWEIGHTED is a variable of MPI's, and the shim is not linked with MPI.) */
static int fill_from_graph(MPI_Comm comm, const struct neighbors *neighbors)
{
	int in = neighbors->in_count, out = neighbors->out_count, code = MPI_ERR_NO_MEM;
	int *weights = calloc((size_t)in + (size_t)out + 1, sizeof(int));

	if (weights)
		code = real_mpi()->Dist_graph_neighbors(comm, in, neighbors->in, weights, out,
		                                        neighbors->out, weights + in);
	free(weights);
	return code;
}

static int fill(MPI_Comm comm, int topology, const struct neighbors *neighbors)
{
	int rank = 0, code = MPI_SUCCESS;

	if (topology == MPI_DIST_GRAPH)
		return fill_from_graph(comm, neighbors);
	if (topology == MPI_GRAPH) {
		real_mpi()->Comm_rank(comm, &rank);
		code = real_mpi()->Graph_neighbors(comm, rank, neighbors->in_count, neighbors->in);
	}
	for (int i = 0; topology == MPI_CART && code == MPI_SUCCESS && i < neighbors->in_count;
	     i += 2)
		code = real_mpi()->Cart_shift(comm, i / 2, 1, &neighbors->in[i],
		                              &neighbors->in[i + 1]);
	memcpy(neighbors->out, neighbors->in, sizeof(int) * (size_t)neighbors->in_count);
	return code;
}

bool neighbors_of(MPI_Comm comm, struct neighbors *ret)
{
	int topology = topology_of(comm);
	struct neighbors neighbors;

	if (topology == MPI_UNDEFINED)
		return false;
	neighbors_count(comm, &neighbors.in_count, &neighbors.out_count);
	neighbors.in = calloc((size_t)neighbors.in_count + 1, sizeof(int));
	neighbors.out = calloc((size_t)neighbors.out_count + 1, sizeof(int));
	if (!neighbors.in || !neighbors.out || fill(comm, topology, &neighbors) != MPI_SUCCESS) {
		neighbors_release(&neighbors);
		return false;
	}
	*ret = neighbors;
	return true;
}

void neighbors_release(struct neighbors *neighbors)
{
	free(neighbors->in);
	free(neighbors->out);
}
