#include "transfer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "awaited.h"
#include "buffer.h"
#include "receiving.h"
#include "request_internal.h"
#include "shim/gate/contents.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/message_memory.h"
#include "shim/mpi/packing.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator.h"
#include "shim/types/signature.h"

static int largest_tag(void)
{
	static int largest = -1;
	int *value, found;

	if (largest < 0) {
		largest = 32767; /* the least that MPI 3.1, section 8.1.2 guarantees */
		if (real_mpi()->Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found)
		            == MPI_SUCCESS
		    && found)
			largest = *value;
	}
	return largest;
}

static bool is_plainly_valid(const struct transfer *transfer)
{
	const struct communicator *communicator = communicator_find(transfer->comm);
	bool receive = transfer->kind == REQUEST_RECEIVE;
	int peer = transfer->peer, tag = transfer->tag;

	if (!communicator || transfer->count < 0 || !abi_is_basic(transfer->type))
		return false;
	if (!transfer->data && transfer->count > 0)
		return false;
	if ((tag < 0 || tag > largest_tag()) && !(receive && tag == MPI_ANY_TAG))
		return false;
	return communicator_world_rank(communicator, peer) >= 0 || peer == MPI_PROC_NULL
	       || (receive && peer == MPI_ANY_SOURCE);
}

int transfer_check(const struct transfer *transfer)
{
	MPI_Request request;
	int code;

	if (is_plainly_valid(transfer))
		return MPI_SUCCESS;
	if (transfer->kind == REQUEST_RECEIVE)
		code = real_mpi()->Recv_init(transfer->data, transfer->count, transfer->type,
		                             transfer->peer, transfer->tag, transfer->comm,
		                             &request);
	else
		code = real_mpi()->Send_init(transfer->data, transfer->count, transfer->type,
		                             transfer->peer, transfer->tag, transfer->comm,
		                             &request);
	if (code == MPI_SUCCESS)
		real_mpi()->Request_free(&request);
	return code;
}

struct transfer transfer_sending(uint8_t mode, const void *data, int count, MPI_Datatype type,
                                 int destination, int tag, MPI_Comm comm)
{
	return (struct transfer){
		.kind = REQUEST_SEND,
		.mode = mode,
		.data = (void *)(uintptr_t)data,
		.count = count,
		.type = type,
		.peer = destination,
		.tag = tag,
		.comm = comm,
	};
}

struct transfer transfer_receiving(void *data, int count, MPI_Datatype type, int source, int tag,
                                   MPI_Comm comm)
{
	return (struct transfer){
		.kind = REQUEST_RECEIVE,
		.data = data,
		.count = count,
		.type = type,
		.peer = source,
		.tag = tag,
		.comm = comm,
	};
}

/* A larger message needs steps of both ranks. They are fastest while both wait for orders. */
static bool moves_at_once(const struct request *request)
{
	return transfer_bytes(request) < WIRE_LARGE_MESSAGE;
}

/* Smaller messages are better sent while the scheduler decides. */
enum { LEAST_LARGE = 64 << 10 }; /* bytes; at least WIRE_LARGE_MESSAGE */

bool transfer_is_large(const struct request *request)
{
	return transfer_bytes(request) >= LEAST_LARGE;
}

/* Whether the call may go on as soon as MPI tells that its send is matched. */
static bool tells_match(const struct request *request)
{
	return (gate_may_go_ahead() && moves_at_once(request))
	       || (gate_hurries_if_matched() && transfer_is_large(request));
}

int transfer_new(const struct transfer *transfer, struct request **ret_request)
{
	const struct wire_name none = {0, 0};
	int code = transfer_check(transfer);
	struct request *request;

	if (code != MPI_SUCCESS)
		return code;
	request = request_new(transfer->kind, none, transfer->comm);
	if (!request)
		return MPI_ERR_NO_MEM;
	request->mode = transfer->mode;
	request->data = transfer->data;
	request->count = transfer->count;
	request->type = transfer->type;
	request->types = signature_of(transfer->type);
	request->peer = transfer->peer;
	request->tag = transfer->tag;
	request->must_copy = transfer->must_copy;
	request->held = transfer->held;
	request->synchronous = transfer->synchronous && tells_match(request);
	*ret_request = request;
	return MPI_SUCCESS;
}

bool transfer_copies(uint8_t mode)
{
	bool zero = gate_welcome()->buffering == WIRE_BUFFERING_ZERO;
	return mode == WIRE_BUFFERED || (!zero && mode != WIRE_SYNCHRONOUS);
}

bool transfer_returns(uint8_t mode)
{
	return transfer_copies(mode)
	       && (mode == WIRE_BUFFERED || gate_welcome()->buffering == WIRE_BUFFERING_INFINITE);
}

bool transfer_may_go_ahead(const struct request *request)
{
	if (!moves_at_once(request))
		return false;
	if (request->kind == REQUEST_RECEIVE)
		return receiving_may_go_ahead(request);
	return request->synchronous || transfer_returns(request->mode);
}

size_t transfer_bytes(const struct request *request)
{
	return type_size(request->type) * (size_t)request->count;
}

/* What is passed to MPI: the program's buffer, or a copy. */
struct outgoing {
	const void *data;
	int count;
	MPI_Datatype type;
};

static void copy_basic(struct request *request, size_t bytes)
{
	request->copy = message_memory_new(bytes);
	if (!request->copy)
		return;
	memcpy(request->copy, request->data, bytes);
	request->copied = true;
}

static void copy_packed(struct request *request, struct outgoing *outgoing)
{
	int room = 0, packed = 0;

	if (real_mpi()->Pack_size(request->count, request->type, request->comm, &room)
	    != MPI_SUCCESS)
		return;
	request->copy = message_memory_new((size_t)room);
	if (!request->copy)
		return;
	if (packing_pack(request->data, request->count, request->type, request->copy, room, &packed)
	    != MPI_SUCCESS) {
		message_memory_free(request->copy);
		request->copy = NULL;
		return;
	}
	outgoing->count = packed;
	outgoing->type = MPI_PACKED;
	request->copied = true;
}

/* If no copy can be made (more packed bytes than an int holds, no memory), the program waits for
 * MPI. */
static struct outgoing copy_message(struct request *request)
{
	struct outgoing outgoing = {request->data, request->count, request->type};
	size_t bytes = transfer_bytes(request);

	if (bytes == 0)
		request->copied = true;
	else if (abi_is_basic(request->type))
		copy_basic(request, bytes);
	else if (bytes <= INT_MAX)
		copy_packed(request, &outgoing);
	if (request->copy)
		outgoing.data = request->copy;
	return outgoing;
}

static int post_send(struct request *request, bool from_copy, MPI_Request *ret_real)
{
	struct outgoing outgoing = {request->data, request->count, request->type};
	int code;

	if (request->mode == WIRE_BUFFERED) {
		request->buffered = buffer_take(transfer_bytes(request));
		if (request->buffered.bytes == 0)
			return MPI_ERR_BUFFER;
	}
	if (from_copy)
		outgoing = copy_message(request);
	/* Synchronous mode is left to the scheduler, which knows when the message is matched. A
	 * call that does not wait for the scheduler uses MPI_Issend. */
	code = (request->synchronous ? real_mpi()->Issend : real_mpi()->Isend)(
		outgoing.data, outgoing.count, outgoing.type, request->peer, request->tag,
		request->comm, ret_real);
	if (code == MPI_SUCCESS && request->mode == WIRE_BUFFERED)
		buffer_hold(request->name);
	return code;
}

/* Called upon BIND. A receiver that waits for the message takes it at once, so no copy is needed.
 * Otherwise the program may continue first. */
static int post_held(void *closure, MPI_Request *ret_real)
{
	struct request *request = closure;
	bool is_taken = request->bound_peer == WIRE_AWAITED;

	return post_send(request, !is_taken && transfer_copies(request->mode), ret_real);
}

static const struct request_actions held_send = {.post = post_held};

/* Not with several threads, because held sends of different threads could overtake each other in
 * MPI. */
static bool is_held(const struct request *request)
{
	return request->held && !request->must_copy && request->mode != WIRE_BUFFERED
	       && transfer_copies(request->mode) && !gate_is_serialised()
	       && transfer_is_large(request);
}

/* Whether the program's buffer can be sent although the program may continue. */
static bool is_direct(const struct request *request)
{
	return !request->must_copy && request->mode != WIRE_BUFFERED && transfer_is_large(request)
	       && awaited_is_told(request);
}

static int start_send(struct request *request)
{
	bool copies = request->must_copy || transfer_copies(request->mode);
	int code;

	awaited_count_send(request);
	request->direct = false;
	if (is_held(request)) {
		request->actions = &held_send;
		request->bound_peer = WIRE_ANY;
		request->closure = request;
		return MPI_SUCCESS;
	}
	request->direct = copies && is_direct(request);
	code = post_send(request, copies && !request->direct, &request->real);
	request_posted(request, code);
	return code;
}

bool transfer_is_held(const struct request *request)
{
	return request->actions == &held_send && !request->bound;
}

bool transfer_post_awaited(struct request *request)
{
	if (!request->bound && awaited_is_told(request)) {
		request->bound_peer = WIRE_AWAITED;
		request_post(request);
	}
	return request->bound;
}

void transfer_let_go(struct request *request)
{
	if (request->actions != &held_send || request->bound)
		return;
	gate_obey(); /* BIND may follow GO */
	if (!request->bound)
		request_post(request);
}

/* MPI 3.1, section 3.11. */
static void set_over_without_peer(struct request *request)
{
	request->status = request_empty_status();
	if (request->kind == REQUEST_RECEIVE)
		request->status.MPI_SOURCE = MPI_PROC_NULL;
	request->local = true;
	request->completed = true;
	request->code = MPI_SUCCESS;
}

int transfer_start(struct request *request, struct wire_name name)
{
	request->active = true;
	if (request->peer == MPI_PROC_NULL) {
		set_over_without_peer(request);
		return MPI_SUCCESS;
	}
	if (request_rename(request, name) < 0)
		return MPI_ERR_NO_MEM;
	if (request->kind == REQUEST_SEND)
		return start_send(request);
	receiving_begin(request);
	return MPI_SUCCESS;
}

int transfer_keep_arguments(struct request *request)
{
	int code = MPI_SUCCESS;

	if (!abi_is_basic(request->type)) {
		MPI_Datatype twin;

		buffer_checksum_prepare(request);
		/* Not MPI_Type_dup: it calls the program's attribute functions. */
		code = real_mpi()->Type_contiguous(1, request->type, &twin);
		if (code != MPI_SUCCESS)
			return code;
		real_mpi()->Type_commit(&twin);
		request->type = twin;
		request->owns_type = true;
	}
	communicator_retain(request->comm);
	request->retains_comm = true;
	return code;
}

void transfer_checksum(struct request *request)
{
	if (request->local || request->must_copy)
		return;
	request->outlives = true;
	buffer_checksum_begin(request);
}

struct wire_op transfer_op(const struct request *request)
{
	bool receive = request->kind == REQUEST_RECEIVE;

	if (!receive)
		contents_note(request->name,
		              &(struct contents_data){request->data, request->count, request->type},
		              request->types);
	return (struct wire_op){
		.name = request->name,
		.kind = receive ? WIRE_RECEIVE : WIRE_SEND,
		.mode = request->mode,
		.comm = communicator_number(request->comm),
		.peer = request->peer == MPI_ANY_SOURCE ? WIRE_ANY : request->peer,
		.tag = receive && request->tag == MPI_ANY_TAG ? WIRE_ANY : request->tag,
		.bytes = transfer_bytes(request),
		.types = request->types,
		.counts = request->mode == WIRE_BUFFERED ? buffer_attached() : 0,
	};
}

void transfer_add_nonblocking(struct wire_call *call, const struct request *request)
{
	struct wire_op *op = &call->ops[call->op_count++];

	*op = transfer_op(request);
	op->nonblocking = true;
}
