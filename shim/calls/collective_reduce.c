/* Reduce, Scan, Exscan, Reduce_scatter_block. Results are bitwise those of MPI without the shim.
 * The nonblocking variants combine in the same order as the blocking ones (MPICH 4.0, tested). The
 * shim's own prefix sums repeat MPI's recursive doubling. */
#include <stdlib.h>

#include "collective.h"
#include "collective_early.h"
#include "shim/gate/gate.h"
#include "shim/mpi/packing.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"
#include "shim/objects/error.h"
#include "shim/types/signature.h"

/* A contributor's part continues in the background, from a copy, also if MPI makes it an inner node
 * of a tree. */
static int contribute(const struct early *early, const void *data, int count, MPI_Datatype type,
                      MPI_Op op, int root)
{
	void *copy = NULL, *memory = NULL;
	MPI_Request request;
	int code = typed_copy(data, count, type, &copy, &memory);

	if (code == MPI_SUCCESS)
		code = real_mpi()->Ireduce(copy, NULL, count, type, op, root,
		                           early->communicator->shadow, &request);
	if (code == MPI_SUCCESS)
		background_finish(request, memory);
	else
		free(memory);
	return code;
}

/* All reductions on the shadow are posted to MPI in the order of the calls. So is the root's part,
 * because the root contributes to other reductions. */
int early_Reduce(struct early *early, const void *sendbuf, void *recvbuf, int count,
                 MPI_Datatype datatype, MPI_Op op, int root)
{
	MPI_Request request;
	int code;

	if (early->communicator->rank != root) {
		early->bytes += type_size(datatype) * (size_t)count;
		return contribute(early, sendbuf, count, datatype, op, root);
	}
	code = early_reserve(early, 1);
	if (code == MPI_SUCCESS)
		code = real_mpi()->Ireduce(sendbuf, recvbuf, count, datatype, op, root,
		                           early->communicator->shadow, &request);
	if (code == MPI_SUCCESS)
		early_add(early, request);
	return code;
}

/* MPICH 4.0's blocking variant combines long vectors pairwise. Its Ireduce_scatter does the same,
 * but its Ireduce_scatter_block does not. */
int shim_MPI_Reduce_scatter_block(void *site, const void *sendbuf, void *recvbuf, int recvcount,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find(comm);
	const struct collective_buffers buffers = {sendbuf, recvbuf};
	const struct collective_reduced reduced = {.send = sendbuf,
	                                           .recv = recvbuf,
	                                           .count = recvcount,
	                                           .is_block = true,
	                                           .type = datatype};
	MPI_Request request;
	int code, *counts;

	if (!collective_enter(site, MPI_CALL_Reduce_scatter_block, comm, COLLECTIVE_NO_ROOT,
	                      collective_sign_buffers(
				      collective_sign_block(comm, buffers, recvcount, datatype, op),
				      &reduced))) {
		code = real_mpi()->Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op,
		                                        comm);
		return error_check(comm, code, MPI_CALL_Reduce_scatter_block, site);
	}
	counts = malloc(sizeof(*counts) * (size_t)communicator->size);
	if (!counts)
		return error_check(comm, MPI_ERR_NO_MEM, MPI_CALL_Reduce_scatter_block, site);
	for (int i = 0; i < communicator->size; i++)
		counts[i] = recvcount;
	code = real_mpi()->Ireduce_scatter(sendbuf, recvbuf, counts, datatype, op, comm, &request);
	if (code == MPI_SUCCESS)
		code = gate_complete(&request, MPI_STATUS_IGNORE);
	free(counts);
	return error_check(comm, code, MPI_CALL_Reduce_scatter_block, site);
}

/* --- prefix reductions ---------------------------------------------------------------------- */

/* The data of the members below this rank, all with the same layout. */
struct contributions {
	int count;
	MPI_Datatype type;
	MPI_Op op;
	bool commutes, inclusive;
	int size;
	void *result;
	void **data, **memory;
};

static void contributions_release(void *state)
{
	struct contributions *all = state;

	for (int i = 0; all->memory && i < all->size; i++)
		free(all->memory[i]);
	free(all->memory);
	free(all->data);
	free(all);
}

static int contributions_receive(struct contributions *all, struct early *early)
{
	int code = early_reserve(early, all->size);

	all->data = calloc((size_t)all->size + 1, sizeof(*all->data));
	all->memory = calloc((size_t)all->size + 1, sizeof(*all->memory));
	if (!all->data || !all->memory)
		return MPI_ERR_NO_MEM;
	for (int i = 0; code == MPI_SUCCESS && i < all->size; i++) {
		code = typed_room(all->count, all->type, &all->data[i], &all->memory[i]);
		if (code == MPI_SUCCESS)
			code = early_receive(early, all->data[i], all->count, all->type, i);
	}
	return code;
}

/* Combines into all->data[first] the 2^k members from `first` on, in the order in which member `as`
 * combines them in k steps of recursive doubling. With a commutative operation, a member combines
 * what it receives with what it has, in this order, whichever side it is on. */
static int combine_block(struct contributions *all, int first, int k, int as)
{
	int half = k > 0 ? 1 << (k - 1) : 0, code;
	bool as_upper = k > 0 && as >= first + half;

	if (k == 0)
		return MPI_SUCCESS;
	code = combine_block(all, first, k - 1, as_upper ? as ^ half : as);
	if (code == MPI_SUCCESS)
		code = combine_block(all, first + half, k - 1, as_upper ? as : as ^ half);
	if (code != MPI_SUCCESS)
		return code;
	if (as_upper || !all->commutes) {
		code = real_mpi()->Reduce_local(all->data[first], all->data[first + half],
		                                all->count, all->type, all->op);
		void *result = all->data[first + half];
		all->data[first + half] = all->data[first];
		all->data[first] = result;
		return code;
	}
	return real_mpi()->Reduce_local(all->data[first + half], all->data[first], all->count,
	                                all->type, all->op);
}

/* MPICH's recursive doubling. In step k, a member whose rank has bit k set combines the block of
 * the lower partner in front of its result. In the first such step of Exscan the result is
 * empty. */
static int combine_prefix(void *state)
{
	struct contributions *all = state;
	bool started = all->inclusive;
	int code = MPI_SUCCESS, rank = all->size;

	for (int k = 0; code == MPI_SUCCESS && 1 << k <= rank; k++) {
		if (!(rank >> k & 1))
			continue;
		int partner = rank ^ 1 << k, first = (partner >> k) << k;
		code = combine_block(all, first, k, partner);
		if (code != MPI_SUCCESS)
			return code;
		if (started)
			code = real_mpi()->Reduce_local(all->data[first], all->result, all->count,
			                                all->type, all->op);
		else
			code = typed_move(all->data[first], all->result, all->count, all->type);
		started = true;
	}
	return code;
}

/* Sends this rank's data to all ranks above it. */
static int send_upwards(struct early *early, const struct contributions *all, const void *sendbuf)
{
	const struct communicator *communicator = early->communicator;
	const void *own = sendbuf == MPI_IN_PLACE ? all->result : sendbuf;
	struct packed *packed;
	int code = packed_new(own, all->count, all->type, communicator->shadow, &packed);

	if (code != MPI_SUCCESS)
		return code;
	for (int i = communicator->rank + 1; code == MPI_SUCCESS && i < communicator->size; i++)
		code = early_send(early, packed, i);
	if (code == MPI_SUCCESS && all->inclusive && sendbuf != MPI_IN_PLACE)
		code = packing_unpack(packed->bytes, packed->size, all->result, all->count,
		                      all->type);
	packed_release(packed);
	return code;
}

static int prefix(struct early *early, const void *sendbuf, const struct contributions *arguments)
{
	struct contributions *all = malloc(sizeof(*all));
	int commutes = 0, code;

	if (!all)
		return MPI_ERR_NO_MEM;
	*all = *arguments;
	all->size = early->communicator->rank;
	real_mpi()->Op_commutative(all->op, &commutes);
	all->commutes = commutes != 0;
	early->state = all;
	early->finish = combine_prefix;
	early->release = contributions_release;
	code = send_upwards(early, all, sendbuf);
	return code == MPI_SUCCESS ? contributions_receive(all, early) : code;
}

int early_Scan(struct early *early, const void *sendbuf, void *recvbuf, int count,
               MPI_Datatype datatype, MPI_Op op)
{
	const struct contributions all = {
		.count = count, .type = datatype, .op = op, .result = recvbuf, .inclusive = true};

	return prefix(early, sendbuf, &all);
}

int early_Exscan(struct early *early, const void *sendbuf, void *recvbuf, int count,
                 MPI_Datatype datatype, MPI_Op op)
{
	const struct contributions all = {
		.count = count, .type = datatype, .op = op, .result = recvbuf};

	return prefix(early, sendbuf, &all);
}
