#include "collective.h"

#include <stdlib.h>

#include "collective_proven.h"
#include "shim/check/reduction.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"
#include "shim/objects/error.h"
#include "shim/request/buffer_checksum.h"

/* Reduction operations of the program that collectives not posted to MPI yet need. */
struct used_op {
	MPI_Op op;
	unsigned uses;
	bool freed; /* by the program */
	struct used_op *next;
};

static struct used_op *used_ops;

/* --- starting ------------------------------------------------------------------------------- */

bool collective_is_valid(MPI_Comm comm, int root, const struct collective_signature *signature)
{
	const struct communicator *communicator = communicator_find(comm);

	if (!communicator || !signature->sound)
		return false;
	if (root == COLLECTIVE_NO_ROOT)
		return true;
	if (communicator->is_inter && (root == MPI_ROOT || root == MPI_PROC_NULL))
		return true;
	return root >= 0 && root < communicator->remote_size;
}

bool collective_takes_info(MPI_Info info)
{
	int count;

	return info == MPI_INFO_NULL || real_mpi()->Info_get_nkeys(info, &count) == MPI_SUCCESS;
}

static int32_t wire_root(const struct communicator *communicator, int root)
{
	if (root >= 0)
		return root;
	if (!communicator->is_inter || root == COLLECTIVE_NO_ROOT)
		return WIRE_NO_ROOT;
	return root == MPI_ROOT ? WIRE_ROOT_ITSELF : WIRE_ROOT_BESIDE;
}

struct wire_op collective_op(MPI_Comm comm, int root, struct collective_signature signature,
                             uint16_t function)
{
	struct communicator *communicator = communicator_find(comm);

	/* The data moves later: other communicators may be made meanwhile. */
	communicator->uses_shadow |= function != 0;
	return (struct wire_op){
		.kind = WIRE_COLLECTIVE,
		.nonblocking = function != 0,
		.whole = communicator_lacks_shadow(communicator),
		.function = function,
		.comm = communicator->number,
		.peer = wire_root(communicator, root),
		.bytes = signature.bytes,
		.types = signature.types,
		.same_data = signature.same_data,
		.reduction = signature.reduction,
		.counts = signature.counts,
		.sends = signature.sends,
		.receives = signature.receives,
	};
}

static struct wire_op describe(struct wire_name name, MPI_Comm comm, int root,
                               struct collective_signature signature)
{
	struct wire_op op = collective_op(comm, root, signature, 0);

	op.name = name;
	return op;
}

/* Keeps the data for the prompt. */
static void note_given(const struct wire_op *op, MPI_Comm comm, enum mpi_call function, int root,
                       const struct collective_signature *signature)
{
	struct contents_data given;

	if (contents_are_wanted() && collective_given(comm, function, root, signature, &given))
		contents_note_data(op->name, &given);
}

/* Waits for GO, unless this rank may go on without it. */
static void enter(struct wire_call *call, struct wire_op *op, bool proven)
{
	if (!proven) {
		gate_wait_for(call, op, WIRE_WAIT_ALL);
		return;
	}
	call->ops = op;
	call->op_count = 1;
	call->wait = WIRE_WAIT_ALL;
	call->waited = &op->name;
	call->waited_count = 1;
	gate_report_ahead(call);
	gate_completed_ahead();
}

bool collective_enter(const void *site, enum mpi_call function, MPI_Comm comm, int root,
                      struct collective_signature signature)
{
	if (!collective_is_valid(comm, root, &signature)) {
		error_report_call(site, function);
		collective_signature_release(&signature);
		return false;
	}
	struct wire_call call = gate_call(function, site);
	struct wire_op op = describe((struct wire_name){call.call, 0}, comm, root, signature);

	struct bytes *bytes = NULL;

	if (buffer_checksum_wants_blocking())
		bytes = collective_bytes(comm, function, root, &signature);
	buffer_checksum_blocking_collective(op.name, bytes);
	note_given(&op, comm, function, root, &signature);
	reduction_used(signature.op, call.call);
	enter(&call, &op, collective_is_proven(comm, function, &op));
	buffer_checksum_collective_over(bytes);
	bytes_release(bytes);
	collective_signature_release(&signature);
	return true;
}

int collective_start(const void *site, enum mpi_call function, MPI_Comm comm, int root,
                     struct collective_signature signature, const struct request_actions *actions,
                     void *closure, MPI_Request *request)
{
	struct collective_kept *kept = closure;
	struct wire_call call = gate_call(function, site);
	struct wire_op op = describe((struct wire_name){call.call, 0}, comm, root, signature);
	struct request *started = request_new_collective(op.name, comm, actions, closure);
	struct bytes *bytes;

	communicator_retain(comm);
	kept->comm = comm;
	kept->tag = (int)function;
	if (!started) {
		collective_signature_release(&signature);
		collective_over(closure, MPI_ERR_NO_MEM);
		return error_check(comm, MPI_ERR_NO_MEM, function, site);
	}
	*request = request_handle(started);
	note_given(&op, comm, function, root, &signature);
	reduction_used(signature.op, call.call);
	bytes = collective_bytes(comm, function, root, &signature);
	buffer_checksum_begin_collective(started, bytes);
	bytes_release(bytes);
	if (early_applies(function, comm))
		request_post(started);
	else
		request_post_later(started);
	op.nonblocking = true;
	call.ops = &op;
	call.op_count = 1;
	gate_report(&call);
	collective_signature_release(&signature);
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

/* --- what a nonblocking collective keeps ---------------------------------------------------- */

/* Keeps a derived type alive by a new type made of it (MPICH counts references). */
void collective_keep_type(struct collective_kept *kept, MPI_Datatype type)
{
	MPI_Datatype *holder = &kept->types[kept->type_count];

	if (type == MPI_DATATYPE_NULL || abi_is_predefined(type))
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

	if (abi_is_predefined(op))
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

static int create_op(union reduction_function function, int commute, MPI_Op *op, bool is_large)
{
	int code = is_large ? real_mpi()->Op_create_c(function.large, commute, op)
	                    : real_mpi()->Op_create(function.usual, commute, op);

	if (code == MPI_SUCCESS)
		reduction_made(*op, function);
	return code;
}

int shim_MPI_Op_create(void *site, MPI_User_function *user_fn, int commute, MPI_Op *op)
{
	union reduction_function function = {.usual = user_fn};

	if (commute)
		function = reduction_watch(function, MPI_CALL_Op_create, site);
	return error_check(MPI_COMM_WORLD, create_op(function, commute, op, false),
	                   MPI_CALL_Op_create, site);
}

int shim_MPI_Op_create_c(void *site, MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
	union reduction_function function = {.large = user_fn};

	if (commute)
		function = reduction_watch(function, MPI_CALL_Op_create_c, site);
	return error_check(MPI_COMM_WORLD, create_op(function, commute, op, true),
	                   MPI_CALL_Op_create_c, site);
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
