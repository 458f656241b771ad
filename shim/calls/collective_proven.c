#include "collective_proven.h"

#include <stdlib.h>
#include <string.h>

#include "collective_hash.h"
#include "common/mix.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"
#include "shim/request/background.h"
#include "shim/request/proven.h"
#include "shim/request/request.h"

/* The hash and its complement: their maxima over all members are equal to a member's own if all
 * have the same. */
struct proof {
	uint64_t own[2], most[2];
};

/* It holds only if all have come to as many before. */
static struct proof *proof_new(struct communicator *communicator, uint64_t hash)
{
	struct proof *proof = malloc(sizeof(*proof));

	if (!proof)
		return NULL;
	communicator->proofs++;
	proof->own[0] = hash != 0 ? mix(hash, communicator->proofs) : UINT64_MAX;
	proof->own[1] = hash != 0 ? ~proof->own[0] : UINT64_MAX;
	return proof;
}

static bool holds(const struct proof *proof)
{
	return proof->own[0] != UINT64_MAX
	       && memcmp(proof->own, proof->most, sizeof(proof->own)) == 0;
}

/* Of each collective but those in which it is of no use, even if this rank has to wait. */
static bool is_wanted(const struct communicator *communicator, enum mpi_call function)
{
	return gate_welcome()->hurries && gate_welcome()->buffering == WIRE_BUFFERING_INFINITE
	       && communicator && !communicator->is_inter && communicator->shadow != MPI_COMM_NULL
	       && collective_is_uniform(function);
}

bool collective_is_proven(MPI_Comm comm, enum mpi_call function, const struct wire_op *op)
{
	struct communicator *communicator = communicator_find(comm);
	struct proof *proof;
	MPI_Request request;
	bool over;

	if (!is_wanted(communicator, function))
		return communicator && communicator->size == 1 && !communicator->is_inter
		       && gate_hurries() && collective_hash(function, op) != 0;
	proof = proof_new(communicator,
	                  request_collectives_wait() ? 0 : collective_hash(function, op));
	if (!proof)
		return false;
	communicator->uses_shadow = true;
	if (real_mpi()->Iallreduce(proof->own, proof->most, 2, MPI_UINT64_T, MPI_MAX,
	                           communicator->shadow, &request)
	    != MPI_SUCCESS) {
		free(proof);
		return false;
	}
	if (!gate_hurries() || !proven_library(&request)) {
		background_finish(request, proof);
		return false;
	}
	over = holds(proof);
	free(proof);
	return over;
}
