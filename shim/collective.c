#include "collective.h"

#include <stdlib.h>

#include "error.h"
#include "gate.h"
#include "real.h"
#include "signature.h"

/* Reduction operations of the program that collectives not yet in the library need. */
struct used_op {
	MPI_Op op;
	unsigned uses;
	bool freed; /* by the program */
	struct used_op *next;
};

static struct used_op *used_ops;

/* MPICH's handles tell what they are: 1 in the two highest bits is built in. */
static bool is_builtin(int handle)
{
	return (unsigned)handle >> 30 == 1;
}

/* --- signatures ------------------------------------------------------------------------------ */

static bool data_is_sound(int count, MPI_Datatype type, uint64_t *ret_bytes)
{
	MPI_Count size = 0;

	*ret_bytes = 0;
	if (count < 0 || type == MPI_DATATYPE_NULL)
		return false;
	if (real_mpi()->Type_size_x(type, &size) != MPI_SUCCESS)
		return false;
	*ret_bytes = (uint64_t)count * (uint64_t)size;
	return true;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0xff51afd7ed558ccdu;
	return hash ^ (hash >> 33);
}

/* The two groups of an intercommunicator exchange different amounts. */
static bool is_comparable(MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find(comm);

	return communicator && !communicator->is_inter;
}

struct collective_signature collective_sign_data(MPI_Comm comm, int count, MPI_Datatype type)
{
	struct collective_signature signature = { 0 };

	signature.sound = data_is_sound(count, type, &signature.bytes);
	if (signature.sound)
		signature.types = signature_of(type);
	signature.same_data = is_comparable(comm);
	return signature;
}

struct collective_signature collective_sign_rooted(MPI_Comm comm, int root, bool from_root,
                                                   int sendcount, MPI_Datatype sendtype,
                                                   int recvcount, MPI_Datatype recvtype)
{
	const struct communicator *communicator = communicator_find(comm);

	if (!communicator || communicator->is_inter)
		return COLLECTIVE_UNSIGNED;
	if ((communicator->rank == root) == from_root)
		return collective_sign_data(comm, sendcount, sendtype);
	return collective_sign_data(comm, recvcount, recvtype);
}

struct collective_signature collective_sign_exchange(MPI_Comm comm, const void *sendbuf,
                                                     int sendcount, MPI_Datatype sendtype,
                                                     int recvcount, MPI_Datatype recvtype)
{
	if (sendbuf == MPI_IN_PLACE)
		return collective_sign_data(comm, recvcount, recvtype);
	return collective_sign_data(comm, sendcount, sendtype);
}

static uint8_t sign_op(MPI_Op op)
{
	return is_builtin(op) ? (uint8_t)((unsigned)op & 0xff) : WIRE_OWN_REDUCTION;
}

struct collective_signature collective_sign_reduction(MPI_Comm comm, int count, MPI_Datatype type,
                                                      MPI_Op op)
{
	struct collective_signature signature = collective_sign_data(comm, count, type);
	int commutes;

	signature.sound = signature.sound
	                  && real_mpi()->Op_commutative(op, &commutes) == MPI_SUCCESS;
	if (signature.same_data)
		signature.reduction = sign_op(op);
	return signature;
}

struct collective_signature collective_sign_counts(MPI_Comm comm, const int *counts,
                                                   MPI_Datatype type, MPI_Op op)
{
	const struct communicator *communicator = communicator_find(comm);
	struct collective_signature signature = collective_sign_reduction(comm, 1, type, op);
	uint64_t hash = 1, count = 0;

	for (int i = 0; communicator && counts && i < communicator->size; i++) {
		hash = mix(hash, (uint64_t)counts[i]);
		count += (uint64_t)counts[i];
		signature.sound = signature.sound && counts[i] >= 0;
	}
	if (signature.same_data)
		signature.counts = hash != 0 ? hash : 1;
	signature.bytes *= count;
	return signature;
}

/* --- entering -------------------------------------------------------------------------------- */

bool collective_is_valid(MPI_Comm comm, int root, struct collective_signature signature)
{
	const struct communicator *communicator = communicator_find(comm);

	if (!communicator || !signature.sound)
		return false;
	if (root == COLLECTIVE_NO_ROOT)
		return true;
	if (communicator->is_inter && (root == MPI_ROOT || root == MPI_PROC_NULL))
		return true;
	return root >= 0 && root < communicator->remote_size;
}

/* Members of an intercommunicator do not all know the root; none is told then. */
struct wire_op collective_op(MPI_Comm comm, int root, struct collective_signature signature,
                             uint16_t function)
{
	const struct communicator *communicator = communicator_find(comm);

	return (struct wire_op){
		.kind = WIRE_COLLECTIVE,
		.nonblocking = function != 0,
		.function = function,
		.comm = communicator->number,
		.peer = root >= 0 && !communicator->is_inter ? root : -1,
		.bytes = signature.bytes,
		.types = signature.types,
		.same_data = signature.same_data,
		.reduction = signature.reduction,
		.counts = signature.counts,
	};
}

static struct wire_op describe(struct wire_name name, MPI_Comm comm, int root,
                               struct collective_signature signature)
{
	struct wire_op op = collective_op(comm, root, signature, 0);

	op.name = name;
	return op;
}

bool collective_enter(const void *site, enum mpi_call function, MPI_Comm comm, int root,
                      struct collective_signature signature)
{
	if (!collective_is_valid(comm, root, signature)) {
		error_report_call(site, function);
		return false;
	}
	struct wire_call call = gate_call(function, site);
	struct wire_op op = describe((struct wire_name){ call.call, 0 }, comm, root, signature);

	gate_wait_for(&call, &op, WIRE_WAIT_ALL);
	return true;
}

int collective_start(const void *site, enum mpi_call function, MPI_Comm comm, int root,
                     struct collective_signature signature, const struct request_actions *actions,
                     void *closure, MPI_Request *request)
{
	struct collective_kept *kept = closure;
	struct wire_call call = gate_call(function, site);
	struct wire_op op = describe((struct wire_name){ call.call, 0 }, comm, root, signature);
	struct request *started = request_new_collective(op.name, comm, actions, closure);

	communicator_retain(comm);
	kept->comm = comm;
	kept->tag = (int)function;
	if (!started) {
		collective_over(closure, MPI_ERR_NO_MEM);
		return error_check(comm, MPI_ERR_NO_MEM, function, site);
	}
	*request = request_handle(started);
	if (early_applies(function, comm))
		request_post(started);
	op.nonblocking = true;
	call.ops = &op;
	call.op_count = 1;
	gate_report(&call);
	return MPI_SUCCESS;
}

struct early *collective_early(struct collective_kept *kept, enum mpi_call function)
{
	if (!early_applies(function, kept->comm))
		return NULL;
	early_begin(&kept->early, kept->comm, kept->tag);
	return &kept->early;
}

int collective_advance(void *closure, int code, const MPI_Status *status, MPI_Request *ret_real)
{
	struct collective_kept *kept = closure;

	if (kept->early.communicator)
		return early_advance(&kept->early, code, status, ret_real);
	*ret_real = MPI_REQUEST_NULL;
	return code;
}

/* --- what a nonblocking collective keeps ----------------------------------------------------- */

/* A type made of it keeps a derived type alive, under its own handle (MPICH counts references). */
void collective_keep_type(struct collective_kept *kept, MPI_Datatype type)
{
	MPI_Datatype *holder = &kept->types[kept->type_count];

	if (type == MPI_DATATYPE_NULL || is_builtin(type))
		return;
	if (real_mpi()->Type_contiguous(1, type, holder) == MPI_SUCCESS)
		kept->type_count++;
}

static struct used_op **find_used(MPI_Op op)
{
	struct used_op **link = &used_ops;

	while (*link && (*link)->op != op)
		link = &(*link)->next;
	return link;
}

void collective_keep_op(struct collective_kept *kept, MPI_Op op)
{
	struct used_op *used = *find_used(op);

	if (is_builtin(op))
		return;
	if (!used) {
		used = calloc(1, sizeof(*used));
		if (!used)
			return;
		used->op = op;
		used->next = used_ops;
		used_ops = used;
	}
	used->uses++;
	kept->op = op;
	kept->keeps_op = true;
}

static void release_op(MPI_Op op)
{
	struct used_op **link = find_used(op), *used = *link;

	if (--used->uses > 0)
		return;
	*link = used->next;
	if (used->freed)
		real_mpi()->Op_free(&used->op);
	free(used);
}

int shim_MPI_Op_free(void *site, MPI_Op *op)
{
	struct used_op *used = op ? *find_used(*op) : NULL;

	if (!used)
		return error_check(MPI_COMM_WORLD, real_mpi()->Op_free(op), MPI_CALL_Op_free, site);
	used->freed = true;
	*op = MPI_OP_NULL;
	return MPI_SUCCESS;
}

void collective_over(void *closure, int code)
{
	struct collective_kept *kept = closure;

	(void)code;
	while (kept->type_count > 0)
		real_mpi()->Type_free(&kept->types[--kept->type_count]);
	while (kept->array_count > 0)
		free(kept->arrays[--kept->array_count]);
	if (kept->keeps_op)
		release_op(kept->op);
	communicator_release(kept->comm);
	free(closure);
}
