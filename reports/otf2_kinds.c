#include "mpi_calls.h"
#include "otf2_trace.h"

/* OTF2's number for the operation; -1: OTF2 does not have it. */
static int operation_of(enum mpi_call_collective collective)
{
	switch (collective) {
	case MPI_CALL_COLLECTIVE_BARRIER: return OTF2_COLLECTIVE_OP_BARRIER;
	case MPI_CALL_COLLECTIVE_BCAST: return OTF2_COLLECTIVE_OP_BCAST;
	case MPI_CALL_COLLECTIVE_SCATTER: return OTF2_COLLECTIVE_OP_SCATTER;
	case MPI_CALL_COLLECTIVE_SCATTERV: return OTF2_COLLECTIVE_OP_SCATTERV;
	case MPI_CALL_COLLECTIVE_GATHER: return OTF2_COLLECTIVE_OP_GATHER;
	case MPI_CALL_COLLECTIVE_GATHERV: return OTF2_COLLECTIVE_OP_GATHERV;
	case MPI_CALL_COLLECTIVE_REDUCE: return OTF2_COLLECTIVE_OP_REDUCE;
	case MPI_CALL_COLLECTIVE_ALLGATHER: return OTF2_COLLECTIVE_OP_ALLGATHER;
	case MPI_CALL_COLLECTIVE_ALLGATHERV: return OTF2_COLLECTIVE_OP_ALLGATHERV;
	case MPI_CALL_COLLECTIVE_ALLREDUCE: return OTF2_COLLECTIVE_OP_ALLREDUCE;
	case MPI_CALL_COLLECTIVE_ALLTOALL: return OTF2_COLLECTIVE_OP_ALLTOALL;
	case MPI_CALL_COLLECTIVE_ALLTOALLV: return OTF2_COLLECTIVE_OP_ALLTOALLV;
	case MPI_CALL_COLLECTIVE_ALLTOALLW: return OTF2_COLLECTIVE_OP_ALLTOALLW;
	case MPI_CALL_COLLECTIVE_REDUCE_SCATTER: return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
	case MPI_CALL_COLLECTIVE_REDUCE_SCATTER_BLOCK:
		return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
	case MPI_CALL_COLLECTIVE_SCAN: return OTF2_COLLECTIVE_OP_SCAN;
	case MPI_CALL_COLLECTIVE_EXSCAN: return OTF2_COLLECTIVE_OP_EXSCAN;
	case MPI_CALL_COLLECTIVE_CREATE: return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
	case MPI_CALL_COLLECTIVE_ALLOCATE: return OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE;
	case MPI_CALL_COLLECTIVE_DESTROY: return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
	default: return -1;
	}
}

bool otf2_collective(const char *function, OTF2_CollectiveOp *ret_op)
{
	enum mpi_call call = mpi_call_by_name(function);
	int op = mpi_call_is_persistent(call) ? -1 : operation_of(mpi_call_collective(call));

	if (op >= 0)
		*ret_op = (OTF2_CollectiveOp)op;
	return op >= 0;
}

bool otf2_is_rooted(OTF2_CollectiveOp op)
{
	switch (op) {
	case OTF2_COLLECTIVE_OP_BCAST:
	case OTF2_COLLECTIVE_OP_SCATTER:
	case OTF2_COLLECTIVE_OP_SCATTERV:
	case OTF2_COLLECTIVE_OP_GATHER:
	case OTF2_COLLECTIVE_OP_GATHERV:
	case OTF2_COLLECTIVE_OP_REDUCE: return true;
	default: return false;
	}
}

bool otf2_is_nonblocking(const char *function)
{
	return mpi_call_leaves_request(mpi_call_by_name(function));
}

bool otf2_is_one_sided(const char *function)
{
	return mpi_call_subject(mpi_call_by_name(function)) == MPI_CALL_SUBJECT_WINDOW;
}

static OTF2_RegionRole collective_role(enum mpi_call call, OTF2_CollectiveOp op)
{
	switch (op) {
	case OTF2_COLLECTIVE_OP_BARRIER: return OTF2_REGION_ROLE_BARRIER;
	case OTF2_COLLECTIVE_OP_CREATE_HANDLE:
	case OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE:
	case OTF2_COLLECTIVE_OP_DESTROY_HANDLE: return OTF2_REGION_ROLE_COLL_OTHER;
	default: break;
	}
	switch (mpi_call_order(call)) {
	case MPI_CALL_ORDER_ROOT_FIRST: return OTF2_REGION_ROLE_COLL_ONE2ALL;
	case MPI_CALL_ORDER_ROOT_LAST: return OTF2_REGION_ROLE_COLL_ALL2ONE;
	case MPI_CALL_ORDER_ALL: return OTF2_REGION_ROLE_COLL_ALL2ALL;
	default: return OTF2_REGION_ROLE_COLL_OTHER;
	}
}

OTF2_RegionRole otf2_role(const char *function, uint8_t kind)
{
	enum mpi_call call = mpi_call_by_name(function);
	OTF2_CollectiveOp op;

	switch (mpi_call_subject(call)) {
	case MPI_CALL_SUBJECT_WINDOW: return OTF2_REGION_ROLE_RMA;
	case MPI_CALL_SUBJECT_FILE: return OTF2_REGION_ROLE_FILE_IO;
	case MPI_CALL_SUBJECT_REQUEST: return OTF2_REGION_ROLE_POINT2POINT;
	case MPI_CALL_SUBJECT_NONE: break;
	}
	if (otf2_collective(function, &op))
		return collective_role(call, op);
	switch (kind) {
	case RECORD_CALL_COLLECTIVE: return OTF2_REGION_ROLE_COLL_OTHER;
	case RECORD_CALL_OTHER: return OTF2_REGION_ROLE_FUNCTION;
	default: return OTF2_REGION_ROLE_POINT2POINT;
	}
}
