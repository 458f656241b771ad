/* Reduce, Scan, Exscan, Reduce_scatter_block. Results are those of the library without the shim, to
 * the last bit: the nonblocking variants combine in the same order as the blocking ones (MPICH 4.0,
 * tested), and the shim's own prefix sums repeat the library's recursive doubling. */
#include <stdlib.h>

#include "background.h"
#include "collective.h"
#include "error.h"
#include "gate.h"
#include "real.h"

static bool waits_for_all(const struct communicator *communicator)
{
	return communicator->shadow == MPI_COMM_NULL || gate_welcome()->synchronous_collectives;
}

static int complete(int code, MPI_Request *request)
{
	return code == MPI_SUCCESS ? gate_complete(request, MPI_STATUS_IGNORE) : code;
}

/* A contributor's part goes on in the background, from a copy, also where the library makes it an
 * inner node of a tree. */
static int contribute(const void *data, int count, MPI_Datatype type, MPI_Op op, int root,
                      MPI_Comm comm)
{
	unsigned before = request_incomplete();
	void *copy = NULL, *memory = NULL;
	MPI_Count size = 0;
	MPI_Request request;
	int code = typed_copy(data, count, type, &copy, &memory);

	if (code == MPI_SUCCESS)
		code = real_mpi()->Ireduce(copy, NULL, count, type, op, root, comm, &request);
	if (code != MPI_SUCCESS) {
		free(memory);
		return code;
	}
	background_finish(request, memory);
	real_mpi()->Type_size_x(type, &size);
	background_linger(before, (size_t)size * (size_t)count);
	return code;
}

int shim_MPI_Reduce(void *site, const void *sendbuf, void *recvbuf, int count,
                    MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find(comm);
	MPI_Request request;
	int code;

	if (!collective_enter(site, MPI_CALL_Reduce, comm, root,
	                      collective_sign_reduction(comm, count, datatype, op))) {
		code = real_mpi()->Reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
	} else if (communicator->rank == root || waits_for_all(communicator)) {
		code = real_mpi()->Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm,
		                           &request);
		code = complete(code, &request);
	} else {
		code = contribute(sendbuf, count, datatype, op, root, comm);
	}
	return error_check(comm, code, MPI_CALL_Reduce, site);
}

/* MPICH 4.0's blocking variant combines long vectors pairwise, as its Ireduce_scatter does, but not
 * its Ireduce_scatter_block. */
int shim_MPI_Reduce_scatter_block(void *site, const void *sendbuf, void *recvbuf, int recvcount,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find(comm);
	MPI_Request request;
	int code, *counts;

	if (!collective_enter(site, MPI_CALL_Reduce_scatter_block, comm, COLLECTIVE_NO_ROOT,
	                      collective_sign_reduction(comm, recvcount, datatype, op))) {
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
	code = complete(code, &request);
	free(counts);
	return error_check(comm, code, MPI_CALL_Reduce_scatter_block, site);
}

/* --- prefix reductions ----------------------------------------------------------------------- */

/* What members 0 ... this rank contribute, all of the same layout. */
struct contributions {
	int count;
	MPI_Datatype type;
	MPI_Op op;
	bool commutes;
	int size;
	void **data, **memory;
};

static void contributions_release(struct contributions *all)
{
	for (int i = 0; all->memory && i < all->size; i++)
		free(all->memory[i]);
	free(all->memory);
	free(all->data);
}

static int contributions_receive(struct contributions *all, const struct communicator *communicator,
                                 int tag)
{
	MPI_Request request;
	int code = MPI_SUCCESS;

	all->data = calloc((size_t)all->size + 1, sizeof(*all->data));
	all->memory = calloc((size_t)all->size + 1, sizeof(*all->memory));
	if (!all->data || !all->memory)
		return MPI_ERR_NO_MEM;
	for (int i = 0; code == MPI_SUCCESS && i < all->size; i++) {
		code = typed_room(all->count, all->type, &all->data[i], &all->memory[i]);
		if (code == MPI_SUCCESS)
			code = real_mpi()->Irecv(all->data[i], all->count, all->type, i, tag,
			                         communicator->shadow, &request);
		code = complete(code, &request);
	}
	return code;
}

/* Combines, in all->data[first], the 2^k members that member `as` knows of after k steps of
 * recursive doubling; the block begins at `first`. With a commutative operation a member
 * combines what it receives with what it has, in this order, whichever side it is on. */
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

/* MPICH's recursive doubling: in step k a member whose rank has bit k set puts the block of the
 * partner below in front of its result. `started` tells whether the result holds anything yet. */
static int combine_prefix(struct contributions *all, int rank, void *result, bool started)
{
	int code = MPI_SUCCESS;

	for (int k = 0; code == MPI_SUCCESS && 1 << k <= rank; k++) {
		if (!(rank >> k & 1))
			continue;
		int partner = rank ^ 1 << k, first = (partner >> k) << k;
		code = combine_block(all, first, k, partner);
		if (code != MPI_SUCCESS)
			return code;
		if (started)
			code = real_mpi()->Reduce_local(all->data[first], result, all->count,
			                                all->type, all->op);
		else
			code = typed_move(all->data[first], result, all->count, all->type);
		started = true;
	}
	return code;
}

/* Sends what this rank contributes to all above it, waits for those below. `inclusive`: Scan. */
static int prefix(const struct communicator *communicator, const void *sendbuf, void *recvbuf,
                  struct contributions *all, int tag, bool inclusive)
{
	const void *own = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
	MPI_Comm shadow = communicator->shadow;
	struct packed *packed;
	int commutes = 0, position = 0;
	int code = packed_new(own, all->count, all->type, shadow, &packed);

	if (code != MPI_SUCCESS)
		return code;
	unsigned before = request_incomplete();
	for (int i = communicator->rank + 1; code == MPI_SUCCESS && i < communicator->size; i++)
		code = background_send(packed, i, tag, shadow);
	size_t bytes = (size_t)packed->size * (size_t)(communicator->size - communicator->rank);
	if (code == MPI_SUCCESS && inclusive && sendbuf != MPI_IN_PLACE)
		code = real_mpi()->Unpack(packed->bytes, packed->size, &position, recvbuf,
		                          all->count, all->type, shadow);
	packed_release(packed);
	real_mpi()->Op_commutative(all->op, &commutes);
	all->commutes = commutes != 0;
	all->size = communicator->rank;
	if (code == MPI_SUCCESS)
		code = contributions_receive(all, communicator, tag);
	if (code == MPI_SUCCESS)
		code = combine_prefix(all, communicator->rank, recvbuf, inclusive);
	contributions_release(all);
	background_linger(before, bytes);
	return code;
}

int shim_MPI_Scan(void *site, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find(comm);
	struct contributions all = { .count = count, .type = datatype, .op = op };
	MPI_Request request;
	int code;

	if (!collective_enter(site, MPI_CALL_Scan, comm, COLLECTIVE_NO_ROOT,
	                      collective_sign_reduction(comm, count, datatype, op))) {
		code = real_mpi()->Scan(sendbuf, recvbuf, count, datatype, op, comm);
	} else if (waits_for_all(communicator)) {
		code = real_mpi()->Iscan(sendbuf, recvbuf, count, datatype, op, comm, &request);
		code = complete(code, &request);
	} else {
		code = prefix(communicator, sendbuf, recvbuf, &all, MPI_CALL_Scan, true);
	}
	return error_check(comm, code, MPI_CALL_Scan, site);
}

int shim_MPI_Exscan(void *site, const void *sendbuf, void *recvbuf, int count,
                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find(comm);
	struct contributions all = { .count = count, .type = datatype, .op = op };
	MPI_Request request;
	int code;

	if (!collective_enter(site, MPI_CALL_Exscan, comm, COLLECTIVE_NO_ROOT,
	                      collective_sign_reduction(comm, count, datatype, op))) {
		code = real_mpi()->Exscan(sendbuf, recvbuf, count, datatype, op, comm);
	} else if (waits_for_all(communicator)) {
		code = real_mpi()->Iexscan(sendbuf, recvbuf, count, datatype, op, comm, &request);
		code = complete(code, &request);
	} else {
		code = prefix(communicator, sendbuf, recvbuf, &all, MPI_CALL_Exscan, false);
	}
	return error_check(comm, code, MPI_CALL_Exscan, site);
}
