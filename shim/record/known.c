#include "known.h"

#include "call.h"
#include "shim/mpi/real.h"

int64_t known_dimensions(MPI_Comm comm)
{
	int dimensions = 0, topology = MPI_UNDEFINED;

	if (!log_replaying) {
		real_mpi()->Topo_test(comm, &topology);
		if (topology == MPI_CART)
			real_mpi()->Cartdim_get(comm, &dimensions);
	}
	return record_known(dimensions);
}
