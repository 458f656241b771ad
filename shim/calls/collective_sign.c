#include "collective_sign.h"

#include <stdlib.h>

#include "common/mix.h"
#include "shim/check/reduction.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/neighbors.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"
#include "shim/types/codes.h"
#include "shim/types/signature.h"

/* A derived type must be committed before it is used in communication. */
static bool is_committed(MPI_Datatype type)
{
	static int nowhere;
	MPI_Request request;

	if (abi_is_basic(type))
		return true;
	if (real_mpi()->Send_init(&nowhere, 1, type, 0, 0, MPI_COMM_SELF, &request) != MPI_SUCCESS)
		return false;
	real_mpi()->Request_free(&request);
	return true;
}

static bool data_is_sound(int count, MPI_Datatype type, uint64_t *ret_bytes)
{
	MPI_Count size = 0;

	*ret_bytes = 0;
	if (count < 0 || type == MPI_DATATYPE_NULL)
		return false;
	if (real_mpi()->Type_size_x(type, &size) != MPI_SUCCESS)
		return false;
	*ret_bytes = (uint64_t)count * (uint64_t)size;
	return count == 0 || is_committed(type);
}

/* Whether the operation is valid, and allowed for such data (MPI 3.1, section 5.9.2). */
static bool op_is_sound(MPI_Op op, int count, MPI_Datatype type)
{
	static int from, to;
	int commutes;

	return real_mpi()->Op_commutative(op, &commutes) == MPI_SUCCESS
	       && (count == 0 || !abi_is_basic(type)
	           || real_mpi()->Reduce_local(&from, &to, 0, type, op) == MPI_SUCCESS);
}

void collective_signature_release(struct collective_signature *signature)
{
	free(signature->sends.bytes);
	free(signature->receives.bytes);
	signature->sends = signature->receives = (struct wire_side){0};
}

/* --- exchanged data ------------------------------------------------------------------------ */

/* All arrays of a side are one allocation, which begins with `bytes`. */
static bool side_new(struct wire_side *side, uint32_t parts, uint32_t types, uint32_t peers)
{
	size_t bytes = parts * sizeof(*side->bytes), of_types = types * sizeof(*side->types);
	char *memory = calloc(1, bytes + of_types + peers * sizeof(*side->peers) + 1);

	if (!memory)
		return false;
	*side = (struct wire_side){
		.part_count = parts,
		.bytes = (uint64_t *)(void *)memory,
		.type_count = types,
		.types = (struct wire_types *)(void *)(memory + bytes),
		.peer_count = peers,
		.peers = (int32_t *)(void *)(memory + bytes + of_types),
	};
	return true;
}

/* Fills in a side for `partners` ranks. false: an argument is invalid. If each part has its own
 * type, the type of an empty part may be anything. */
static bool fill_side(struct wire_side *side, const struct collective_data *data, int partners)
{
	if (data->is_each && !data->counts && partners > 0)
		return false;
	for (uint32_t i = 0; i < side->part_count; i++) {
		MPI_Datatype type = data->types ? data->types[i] : data->type;
		int count = data->is_each ? data->counts[i] : data->count;

		/* With a count for each, MPI checks the first. */
		if (i == 0 && partners > 0 && count > 0 && !data->buffer && abi_is_basic(type))
			return false;
		if ((count != 0 || !data->types) && !data_is_sound(count, type, &side->bytes[i]))
			return false;
		if (data->types && count != 0)
			side->types[i] = signature_of(type);
	}
	if (!data->types)
		side->types[0] = signature_of(data->type);
	return true;
}

/* Data for the `count` ranks in `peers`; `peers` NULL: for each rank of the group that messages go
 * to. */
static bool sign_side(struct wire_side *side, const struct communicator *communicator,
                      const struct collective_data *data, const int *peers, int count)
{
	uint32_t partners = (uint32_t)(peers ? count : communicator->remote_size);

	if (!side_new(side, data->is_each ? partners : 1, data->types ? partners : 1,
	              peers ? partners : 0))
		return true; /* out of memory: not compared */
	side->partners = peers ? WIRE_WITH_LISTED : WIRE_WITH_EACH;
	for (uint32_t i = 0; i < side->peer_count; i++)
		side->peers[i] = peers[i] == MPI_PROC_NULL ? WIRE_NOBODY : peers[i];
	return fill_side(side, data, (int)partners);
}

/* In place, the root has no part of its own. */
static bool sign_rooted(struct collective_signature *signature,
                        const struct communicator *communicator,
                        const struct collective_exchange *exchange)
{
	bool from_root = exchange->flow == COLLECTIVE_FROM_ROOT;
	bool is_root = exchange->root == (communicator->is_inter ? MPI_ROOT : communicator->rank);
	const struct collective_data *root_data = from_root ? &exchange->send : &exchange->recv;
	const struct collective_data *own = from_root ? &exchange->recv : &exchange->send;
	struct wire_side *root_side = from_root ? &signature->sends : &signature->receives;
	struct wire_side *own_side = from_root ? &signature->receives : &signature->sends;
	bool has_own = !is_root
	               || (!communicator->is_inter && own->buffer != MPI_IN_PLACE
	                   && exchange->send.buffer != exchange->recv.buffer);

	if (exchange->root == MPI_PROC_NULL)
		return true;
	if (is_root && !sign_side(root_side, communicator, root_data, NULL, 0))
		return false;
	return !has_own || sign_side(own_side, communicator, own, &exchange->root, 1);
}

/* In place, a member sends what is in its receive buffer; in Allgather it sends its own part to
 * all. */
static struct collective_data contribution(const struct communicator *communicator,
                                           const struct collective_exchange *exchange)
{
	struct collective_data data = exchange->send;

	if (communicator->is_inter || data.buffer != MPI_IN_PLACE)
		return data;
	bool is_gathered = !data.is_each && exchange->recv.is_each;
	data = exchange->recv;
	if (is_gathered && data.counts) {
		data.is_each = false;
		data.count = data.counts[communicator->rank];
	}
	return data;
}

static bool sign_all(struct collective_signature *signature,
                     const struct communicator *communicator,
                     const struct collective_exchange *exchange)
{
	const struct collective_data given = contribution(communicator, exchange);

	return sign_side(&signature->sends, communicator, &given, NULL, 0)
	       && sign_side(&signature->receives, communicator, &exchange->recv, NULL, 0);
}

static bool sign_neighbors(struct collective_signature *signature,
                           const struct communicator *communicator,
                           const struct collective_exchange *exchange)
{
	struct neighbors neighbors;
	bool sound;

	if (!neighbors_of(communicator->handle, &neighbors))
		return false;
	sound = sign_side(&signature->sends, communicator, &exchange->send, neighbors.out,
	                  neighbors.out_count)
	        && sign_side(&signature->receives, communicator, &exchange->recv, neighbors.in,
	                     neighbors.in_count);
	neighbors_release(&neighbors);
	return sound;
}

/* Sets the size and types of this rank's part, if they are the same for all. */
static void sign_part(struct collective_signature *signature)
{
	const struct wire_side *side = &signature->sends;

	if (side->partners == WIRE_WITH_NOBODY)
		side = &signature->receives;
	if (side->part_count != 1 || side->type_count != 1)
		return;
	signature->bytes = side->bytes[0];
	signature->types = side->types[0];
}

struct collective_signature collective_sign_exchange(MPI_Comm comm,
                                                     const struct collective_exchange *exchange)
{
	const struct communicator *communicator = communicator_find(comm);
	struct collective_signature signature = COLLECTIVE_UNSIGNED;

	if (!communicator)
		return signature;
	switch (exchange->flow) {
	case COLLECTIVE_FROM_ROOT:
	case COLLECTIVE_TO_ROOT:
		signature.sound = sign_rooted(&signature, communicator, exchange);
		break;
	case COLLECTIVE_TO_ALL:
		signature.sound = sign_all(&signature, communicator, exchange);
		break;
	case COLLECTIVE_TO_NEIGHBORS:
		signature.sound = sign_neighbors(&signature, communicator, exchange);
		break;
	}
	sign_part(&signature);
	signature.exchange = exchange;
	return signature;
}

/* --- reductions ---------------------------------------------------------------------------- */

/* As MPICH checks: MPI_BOTTOM is NULL, too, and valid with a derived type. */
static bool is_missing(const void *buffer, uint64_t count, MPI_Datatype type)
{
	return !buffer && count > 0 && abi_is_basic(type);
}

static bool buffers_are_sound(const struct communicator *communicator, int root,
                              struct collective_buffers buffers, uint64_t sent, uint64_t received,
                              MPI_Datatype type)
{
	bool sends = true, receives = root == COLLECTIVE_NO_ROOT;

	if (communicator->is_inter && !receives) {
		receives = root == MPI_ROOT;
		sends = root >= 0;
	} else if (!receives) {
		receives = root == communicator->rank;
	}
	if (sends && is_missing(buffers.send, sent, type))
		return false;
	if (!receives)
		return true;
	if (is_missing(buffers.recv, received, type))
		return false;
	return communicator->is_inter || sent == 0 || buffers.send != buffers.recv
	       || buffers.send == MPI_IN_PLACE;
}

/* In an intercommunicator both groups must give the same (MPI 3.1, section 5.9), except the other
 * members of the root's group, which give nothing. */
static struct collective_signature sign_reduction(const struct communicator *communicator, int root,
                                                  int count, MPI_Datatype type, MPI_Op op)
{
	struct collective_signature signature = COLLECTIVE_UNSIGNED;

	if (communicator && communicator->is_inter && root == MPI_PROC_NULL)
		return signature;
	signature.sound = data_is_sound(count, type, &signature.bytes)
	                  && op_is_sound(op, count, type);
	if (!signature.sound || !communicator)
		return signature;
	signature.types = signature_of(type);
	signature.same_data = true;
	signature.reduction = codes_of_op(op);
	signature.op = op;
	reduction_begins(op);
	return signature;
}

struct collective_signature collective_sign_reduction(MPI_Comm comm, int root,
                                                      struct collective_buffers buffers, int count,
                                                      MPI_Datatype type, MPI_Op op)
{
	const struct communicator *communicator = communicator_find(comm);
	struct collective_signature signature = sign_reduction(communicator, root, count, type, op);

	if (communicator && signature.sound)
		signature.sound = buffers_are_sound(communicator, root, buffers, (uint64_t)count,
		                                    (uint64_t)count, type);
	return signature;
}

struct collective_signature collective_sign_block(MPI_Comm comm, struct collective_buffers buffers,
                                                  int count, MPI_Datatype type, MPI_Op op)
{
	const struct communicator *communicator = communicator_find(comm);
	struct collective_signature signature = collective_sign_reduction(comm, COLLECTIVE_NO_ROOT,
	                                                                  buffers, count, type, op);

	/* The blocks of both groups must have the same total size. */
	if (communicator && communicator->is_inter)
		signature.bytes *= (uint64_t)communicator->size;
	return signature;
}

struct collective_signature collective_sign_counts(MPI_Comm comm, struct collective_buffers buffers,
                                                   const int *counts, MPI_Datatype type, MPI_Op op)
{
	const struct communicator *communicator = communicator_find(comm);
	struct collective_signature signature = sign_reduction(communicator, COLLECTIVE_NO_ROOT, 1,
	                                                       type, op);
	uint64_t hash = 1, count = 0;

	for (int i = 0; communicator && counts && i < communicator->size; i++) {
		hash = mix(hash, (uint64_t)counts[i]);
		count += (uint64_t)counts[i];
		signature.sound = signature.sound && counts[i] >= 0;
	}
	if (communicator && counts && signature.sound)
		signature.sound = buffers_are_sound(communicator, COLLECTIVE_NO_ROOT, buffers,
		                                    count, (uint64_t)counts[communicator->rank],
		                                    type);
	signature.counts = hash != 0 ? hash : 1;
	signature.bytes *= count;
	return signature;
}

struct collective_signature collective_sign_buffers(struct collective_signature signature,
                                                    const struct collective_reduced *reduced)
{
	signature.reduced = reduced;
	return signature;
}
