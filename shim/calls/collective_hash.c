#include "collective_hash.h"

#include "common/mix.h"

bool collective_is_uniform(enum mpi_call function)
{
	switch (function) {
	case MPI_CALL_Gatherv:
	case MPI_CALL_Scatterv:
	case MPI_CALL_Allgatherv:
	case MPI_CALL_Alltoallv:
	case MPI_CALL_Alltoallw:
	case MPI_CALL_Neighbor_allgather:
	case MPI_CALL_Neighbor_allgatherv:
	case MPI_CALL_Neighbor_alltoall:
	case MPI_CALL_Neighbor_alltoallv:
	case MPI_CALL_Neighbor_alltoallw: return false;
	default: return true;
	}
}

static uint64_t hash_types(uint64_t hash, const struct wire_types *types)
{
	hash = mix(mix(hash, types->basic), types->run_count);
	for (uint32_t i = 0; i < types->run_count; i++)
		hash = mix(mix(hash, types->runs[i].basic), types->runs[i].count);
	return hash;
}

/* Whether each part of the side is what the operation says of all. */
static bool is_same_for_all(const struct wire_op *op, const struct wire_side *side)
{
	if (side->partners == WIRE_WITH_NOBODY)
		return true;
	return side->part_count == 1 && side->type_count == 1 && side->bytes[0] == op->bytes
	       && hash_types(0, &side->types[0]) == hash_types(0, &op->types);
}

uint64_t collective_hash(enum mpi_call function, const struct wire_op *op)
{
	uint64_t hash = mix(mix(1, (uint64_t)function), (uint64_t)(int64_t)op->peer);

	if (!collective_is_uniform(function) || !is_same_for_all(op, &op->sends)
	    || !is_same_for_all(op, &op->receives))
		return 0;
	hash = mix(mix(hash, op->bytes), op->same_data);
	hash = mix(mix(hash, op->reduction), op->counts);
	hash = mix(hash_types(hash, &op->types), op->whole);
	return hash | 1;
}
