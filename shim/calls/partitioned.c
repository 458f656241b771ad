/* Partitioned communication (MPI 4.0, chapter 4). It has no wildcards, so there is no choice, and
 * MPI may begin at once. For the scheduler, the start of a receive is a receive. The call that
 * makes the last partition ready is a synchronous send. A rank that waits for its send before that
 * waits for itself (WIRE_NEVER).
 *
 * The n-th initialisation of a send belongs to the n-th initialisation of a receive with the same
 * envelope, whatever is started when. So each such pair has its own number, as a communicator
 * has. */
#include "partitioned.h"

#include <stdlib.h>

#include "common/mix.h"
#include "shim/check/gone.h"
#include "shim/check/overlap.h"
#include "shim/check/partitions.h"
#include "shim/gate/contents.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"
#include "shim/objects/error.h"
#include "shim/request/request_internal.h"
#include "shim/request/transfer.h"
#include "shim/types/bytes.h"
#include "shim/types/signature.h"

struct partitioned {
	MPI_Request real;
	struct wire_op op; /* for each start, without the name */
	bool sends, has_peer;
	int partitions, left; /* number not ready yet */
	uint32_t started;     /* the call that has started it; 0: none */
	bool *ready;
	uint64_t *hashes;           /* of a send: of each partition, when it became ready */
	struct contents_data given; /* the whole buffer */
	bool owns_type;             /* of given.type, because the program may free its own */
	struct overlap_use *use;    /* of the whole buffer; NULL: none */
	struct partitions *uses;    /* of the buffer; owned; NULL: not watched */
	struct bytes *bytes;        /* of the buffer, while `gone` watches it; owned */
	struct gone_watch gone;
};

/* The number of sends (receives) with this envelope. */
struct envelope {
	uint64_t hash, used;
	struct envelope *next;
};

static uint64_t count_envelope(uint64_t hash)
{
	static struct envelope *envelopes;
	struct envelope *envelope = envelopes;

	while (envelope && envelope->hash != hash)
		envelope = envelope->next;
	if (!envelope) {
		envelope = calloc(1, sizeof(*envelope));
		if (!envelope)
			return 0;
		envelope->hash = hash;
		envelope->next = envelopes;
		envelopes = envelope;
	}
	return envelope->used++;
}

static uint64_t number_of(const struct communicator *communicator, bool sends, int peer, int tag)
{
	int own = communicator->local[communicator->rank];
	int other = communicator_world_rank(communicator, peer);
	uint64_t hash = mix(mix(3, communicator->number), (uint64_t)(sends ? own : other));

	hash = mix(mix(hash, (uint64_t)(sends ? other : own)), (uint64_t)tag);
	return mix(hash, count_envelope(mix(hash, sends))) | 1ull << 63;
}

static void announce(uint64_t number, const struct communicator *communicator)
{
	const struct communicator_groups groups = {
		.size = communicator->size,
		.local = communicator->local,
		.remote_size = communicator->is_inter ? communicator->remote_size : 0,
		.remote = communicator->remote,
	};

	communicator_announce(number, &groups, communicator->rank,
	                      &(struct communicator_origin){.name = communicator->name,
	                                                    .function = MPI_CALL_Start,
	                                                    .stands_for = communicator->number});
}

static void stop_watching(struct partitioned *partitioned)
{
	overlap_end(partitioned->use);
	gone_watch_end(&partitioned->gone);
	bytes_release(partitioned->bytes);
	partitioned->use = NULL;
	partitioned->bytes = NULL;
}

static void release_closure(void *closure)
{
	struct partitioned *partitioned = closure;

	if (partitioned->real != MPI_REQUEST_NULL)
		real_mpi()->Request_free(&partitioned->real);
	if (partitioned->owns_type)
		real_mpi()->Type_free(&partitioned->given.type);
	stop_watching(partitioned);
	free(partitioned->hashes);
	partitions_free(partitioned->uses);
	free(partitioned->ready);
	free(partitioned);
}

static void end_uses(void *closure)
{
	struct partitioned *partitioned = closure;

	partitions_end_all(partitioned->uses);
	stop_watching(partitioned);
}

/* The call that has started it, if it is a send that is not ready. */
static uint32_t is_unready(const void *closure)
{
	const struct partitioned *partitioned = closure;

	return partitioned->sends && partitioned->left > 0 ? partitioned->started : 0;
}

/* Reports the start of a send if there is a count, else that partitions of it are ready. */
static void report_partitions(const struct partitioned *partitioned, int count, int first, int last)
{
	const struct wire_message message = {
		.type = WIRE_PARTITIONS,
		.partitions = {.comm = partitioned->op.comm,
	                       .call = partitioned->started,
	                       .count = (uint32_t)count,
	                       .first = (uint32_t)first,
	                       .last = (uint32_t)last},
	};

	if (partitioned->sends && partitioned->has_peer && partitioned->partitions > 0)
		gate_send(&message);
}

/* --- buffers ---------------------------------------------------------------------------------- */

/* Of one partition. */
static struct bytes *bytes_of_partition(const struct partitioned *partitioned, int partition)
{
	const struct contents_data *given = &partitioned->given;
	const MPI_Count count = given->count / partitioned->partitions;
	MPI_Count low = 0, extent = 0;

	real_mpi()->Type_get_extent_x(given->type, &low, &extent);
	return bytes_of(WIRE_PART_READ, (const char *)given->buffer + partition * count * extent,
	                count, given->type);
}

/* From now on the program must not change the partition. MPI has read it, or is about to. */
static void watch_partition(struct partitioned *partitioned, int partition)
{
	struct bytes *bytes = bytes_of_partition(partitioned, partition);

	if (bytes && partitioned->hashes)
		partitioned->hashes[partition] = buffer_checksum_now(bytes, true);
	bytes_release(bytes);
}

static bool has_touched(const void *closure)
{
	const struct partitioned *partitioned = closure;
	bool touched = false;

	if (!partitioned->sends || !partitioned->has_peer || !partitioned->hashes
	    || partitioned->gone.found)
		return false;
	if (partitioned->use && overlap_found(partitioned->use))
		return false;
	for (int i = 0; i < partitioned->partitions && !touched; i++) {
		struct bytes *bytes = bytes_of_partition(partitioned, i);
		uint64_t before = partitioned->hashes[i];
		uint64_t now = bytes && before != 0 ? buffer_checksum_now(bytes, false) : before;

		touched = now != 0 && now != before;
		bytes_release(bytes);
	}
	return touched;
}

/* The operation uses the whole buffer from now on. Its partitions may be watched already. */
static void begin_use(struct partitioned *partitioned, struct wire_name name)
{
	const struct wire_user user = {
		.name = name, .kind = partitioned->sends ? WIRE_USE_SEND : WIRE_USE_RECEIVE};
	struct bytes *bytes = bytes_of(partitioned->sends ? WIRE_PART_READ : WIRE_PART_WRITTEN,
	                               partitioned->given.buffer, partitioned->given.count,
	                               partitioned->given.type);

	stop_watching(partitioned);
	if (!bytes)
		return;
	if (!partitioned->uses)
		partitioned->use = overlap_begin(&user, bytes, false);
	partitioned->bytes = bytes;
	gone_watch_begin(&partitioned->gone, &user, bytes);
}

/* The common part of both initialisations, before MPI is called. NULL: out of memory. */
static struct request *prepare(bool sends, int partitions, int peer, MPI_Comm comm)
{
	static const struct request_actions actions = {.release = release_closure,
	                                               .touched = has_touched,
	                                               .completed = end_uses,
	                                               .waits = is_unready};
	struct partitioned *partitioned = calloc(1, sizeof(*partitioned));
	size_t count = partitions > 0 ? (size_t)partitions : 1;
	bool *ready = calloc(count, sizeof(*ready));
	uint64_t *hashes = sends ? calloc(count, sizeof(*hashes)) : NULL;
	struct request *request = request_new(REQUEST_PARTITIONED, (struct wire_name){0, 0}, comm);

	if (!partitioned || !ready || !request) {
		free(partitioned);
		free(ready);
		free(hashes);
		if (request)
			request_release(request);
		return NULL;
	}
	*partitioned = (struct partitioned){
		.real = MPI_REQUEST_NULL,
		.sends = sends,
		.has_peer = peer != MPI_PROC_NULL,
		.partitions = partitions,
		.ready = ready,
		.hashes = hashes,
	};
	request->persistent = true;
	request->active = false;
	request->actions = &actions;
	request->closure = partitioned;
	return request;
}

/* MPI has accepted or refused the arguments with `code`. MPI's code. */
static int initialise(struct request *request, int code, int count, MPI_Datatype type, int peer,
                      int tag, MPI_Request *ret_handle)
{
	const struct communicator *communicator = communicator_find(request->comm);
	struct partitioned *partitioned = request->closure;

	if (code == MPI_SUCCESS && !communicator)
		code = MPI_ERR_COMM;
	else if (code == MPI_SUCCESS && partitioned->has_peer
	         && communicator_world_rank(communicator, peer) < 0)
		code = MPI_ERR_RANK;
	if (code != MPI_SUCCESS) {
		request_release(request);
		return code;
	}
	*ret_handle = request_handle(request);
	if (!partitioned->has_peer)
		return MPI_SUCCESS;
	partitioned->op = (struct wire_op){
		.kind = partitioned->sends ? WIRE_SEND : WIRE_RECEIVE,
		.mode = partitioned->sends ? WIRE_SYNCHRONOUS : WIRE_STANDARD,
		.nonblocking = true,
		.comm = number_of(communicator, partitioned->sends, peer, tag),
		.peer = peer,
		.tag = tag,
		.types = signature_of(type),
		.bytes = type_size(type) * (uint64_t)count * (uint64_t)partitioned->partitions,
	};
	announce(partitioned->op.comm, communicator);
	return MPI_SUCCESS;
}

/* Keeps the buffer that MPI accepted. */
/* `count`: elements of a partition. */
static void keep_given(struct partitioned *partitioned, const void *buffer, MPI_Count count,
                       MPI_Datatype type)
{
	partitioned->uses = partitions_new(partitioned->sends, buffer, partitioned->partitions,
	                                   count, type);
	partitioned->given = (struct contents_data){buffer, count * partitioned->partitions, type};
	partitioned->owns_type = !abi_is_basic(type)
	                         && real_mpi()->Type_dup(type, &partitioned->given.type)
	                                    == MPI_SUCCESS;
}

int shim_MPI_Psend_init(void *site, const void *buf, int partitions, MPI_Count count,
                        MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info,
                        MPI_Request *request)
{
	struct request *made = prepare(true, partitions, dest, comm);
	int code = made ? MPI_SUCCESS : MPI_ERR_NO_MEM;

	error_report_call(site, MPI_CALL_Psend_init);
	if (made && dest != MPI_PROC_NULL)
		code = real_mpi()->Psend_init(buf, partitions, count, datatype, dest, tag, comm,
		                              info, &((struct partitioned *)made->closure)->real);
	if (made && code == MPI_SUCCESS)
		keep_given(made->closure, buf, count, datatype);
	if (made)
		code = initialise(made, code, (int)count, datatype, dest, tag, request);
	return error_check(comm, code, MPI_CALL_Psend_init, site);
}

int shim_MPI_Precv_init(void *site, void *buf, int partitions, MPI_Count count,
                        MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info,
                        MPI_Request *request)
{
	struct request *made = prepare(false, partitions, source, comm);
	int code = made ? MPI_SUCCESS : MPI_ERR_NO_MEM;

	error_report_call(site, MPI_CALL_Precv_init);
	if (made && source != MPI_PROC_NULL)
		code = real_mpi()->Precv_init(buf, partitions, count, datatype, source, tag, comm,
		                              info, &((struct partitioned *)made->closure)->real);
	if (made && code == MPI_SUCCESS)
		keep_given(made->closure, buf, count, datatype);
	if (made)
		code = initialise(made, code, (int)count, datatype, source, tag, request);
	return error_check(comm, code, MPI_CALL_Precv_init, site);
}

/* From now on the shim asks MPI whether the request is complete. (MPICH 4.0.2 reports a send as
 * complete if it is asked before all partitions are ready.) */
static int post_partitions(struct request *request, struct wire_name name)
{
	const struct partitioned *partitioned = request->closure;

	if (request_rename(request, name) < 0)
		return MPI_ERR_NO_MEM;
	request->real = partitioned->real;
	request_posted(request, MPI_SUCCESS);
	begin_use(request->closure, name);
	return MPI_SUCCESS;
}

static void start_without_peer(struct request *request)
{
	request->status = request_empty_status();
	if (!((struct partitioned *)request->closure)->sends)
		request->status.MPI_SOURCE = MPI_PROC_NULL;
	request->local = request->completed = true;
	request->code = MPI_SUCCESS;
}

int partitioned_start(struct request *request, struct wire_call *call, uint32_t sub)
{
	struct partitioned *partitioned = request->closure;

	request->active = true;
	partitioned->left = partitioned->partitions;
	partitioned->started = call->call;
	for (int i = 0; i < partitioned->partitions; i++)
		partitioned->ready[i] = false;
	if (!partitioned->has_peer) {
		start_without_peer(request);
		return MPI_SUCCESS;
	}
	int code = real_mpi()->Start(&partitioned->real);
	report_partitions(partitioned, partitioned->partitions, 0, 0);
	if (code != MPI_SUCCESS || partitioned->sends)
		return code;
	struct wire_op *op = &call->ops[call->op_count++];
	*op = partitioned->op;
	op->name = (struct wire_name){call->call, sub};
	partitions_begin_all(partitioned->uses,
	                     &(struct wire_user){.name = op->name, .kind = WIRE_USE_RECEIVE});
	return post_partitions(request, op->name);
}

/* --- partitions ------------------------------------------------------------------------------ */

static struct request *find_partitioned(MPI_Request handle)
{
	struct request *request = request_find(handle);

	return request && request->kind == REQUEST_PARTITIONED ? request : NULL;
}

/* The request with which MPI can check the arguments. MPI has none for a request without a peer. */
static MPI_Request real_handle(MPI_Request handle)
{
	const struct request *request = request_find(handle);
	MPI_Request real = handle;

	if (request && request->kind == REQUEST_PARTITIONED)
		real = ((const struct partitioned *)request->closure)->real;
	else if (request)
		real = request_inactive();
	return real;
}

static bool can_be_ready(const struct request *request, int partition)
{
	const struct partitioned *partitioned = request ? request->closure : NULL;

	return partitioned && partitioned->sends && request->active && partition >= 0
	       && partition < partitioned->partitions;
}

/* By this call of the program. */
static int make_ready(struct request *request, int partition, enum mpi_call function,
                      const void *site)
{
	const struct wire_user user = {
		.function = function, .site = (uintptr_t)site, .kind = WIRE_USE_SEND};
	struct partitioned *partitioned = request->closure;
	int code = MPI_SUCCESS;

	if (partitioned->ready[partition])
		return MPI_ERR_ARG;
	if (partitioned->has_peer)
		code = real_mpi()->Pready(partition, partitioned->real);
	if (code == MPI_SUCCESS) {
		partitioned->ready[partition] = true;
		partitioned->left--;
		if (partitioned->has_peer)
			watch_partition(partitioned, partition);
		report_partitions(partitioned, 0, partition, partition);
		partitions_begin(partitioned->uses, partition, &user);
	}
	return code;
}

/* An argument is wrong: MPI's code, but never MPI_SUCCESS. */
static int refused(int code)
{
	return code == MPI_SUCCESS ? MPI_ERR_ARG : code;
}

/* Reports the call that made partitions ready. The last one sends the message. */
static int report_ready(void *site, enum mpi_call function, struct request *request, int code)
{
	struct wire_call call = gate_call(function, site);
	struct partitioned *partitioned = code == MPI_SUCCESS && request ? request->closure : NULL;
	struct wire_op op;

	if (partitioned && partitioned->has_peer && partitioned->left == 0 && !request->name.call) {
		op = partitioned->op;
		op.name = (struct wire_name){call.call, 0};
		call.ops = &op;
		call.op_count = 1;
		code = post_partitions(request, op.name);
		contents_note_data(op.name, &partitioned->given);
	}
	gate_report(&call);
	return error_check(request ? request->comm : MPI_COMM_WORLD, code, function, site);
}

int shim_MPI_Pready(void *site, int partition, MPI_Request handle)
{
	struct request *request = find_partitioned(handle);
	int code = can_be_ready(request, partition)
	                   ? make_ready(request, partition, MPI_CALL_Pready, site)
	                   : refused(real_mpi()->Pready(partition, real_handle(handle)));

	return report_ready(site, MPI_CALL_Pready, request, code);
}

int shim_MPI_Pready_range(void *site, int partition_low, int partition_high, MPI_Request handle)
{
	struct request *request = find_partitioned(handle);
	int code = MPI_SUCCESS;

	if (!can_be_ready(request, partition_low) || !can_be_ready(request, partition_high))
		code = refused(real_mpi()->Pready_range(partition_low, partition_high,
		                                        real_handle(handle)));
	for (int i = partition_low; code == MPI_SUCCESS && i <= partition_high; i++)
		code = make_ready(request, i, MPI_CALL_Pready_range, site);
	return report_ready(site, MPI_CALL_Pready_range, request, code);
}

static bool list_can_be_ready(const struct request *request, int length, const int *partitions)
{
	bool can = request && length >= 0 && (partitions || length == 0);

	for (int i = 0; can && i < length; i++)
		can = can_be_ready(request, partitions[i]);
	return can;
}

int shim_MPI_Pready_list(void *site, int length, const int array_of_partitions[],
                         MPI_Request handle)
{
	struct request *request = find_partitioned(handle);
	int code = MPI_SUCCESS;

	if (!list_can_be_ready(request, length, array_of_partitions))
		code = refused(
			real_mpi()->Pready_list(length, array_of_partitions, real_handle(handle)));
	for (int i = 0; code == MPI_SUCCESS && i < length; i++)
		code = make_ready(request, array_of_partitions[i], MPI_CALL_Pready_list, site);
	return report_ready(site, MPI_CALL_Pready_list, request, code);
}

/* Asks MPI about an active receive. `whole`: the whole message is known to have been sent, so the
 * partition is waited for. MPICH must not be asked about a completed request. */
static int poll_partition(const struct request *request, int partition, bool whole, int *flag)
{
	const struct partitioned *partitioned = request->closure;
	int code = MPI_SUCCESS;

	*flag = 0;
	for (unsigned round = 0;; round++) {
		if (request->completed)
			*flag = 1;
		else
			code = real_mpi()->Parrived(partitioned->real, partition, flag);
		if (code != MPI_SUCCESS || *flag || !whole)
			return code;
		gate_yield(round);
	}
}

/* A poll for the whole message. The answer "not yet" comes when the scheduler can let nothing else
 * continue. Then MPI is asked about this partition alone. */
int shim_MPI_Parrived(void *site, MPI_Request handle, int partition, int *flag)
{
	struct wire_call call = gate_call(MPI_CALL_Parrived, site);
	struct request *request = find_partitioned(handle);
	const struct partitioned *partitioned = request ? request->closure : NULL;
	int code;

	if (!flag || !partitioned || partitioned->sends || partition < 0
	    || partition >= partitioned->partitions) {
		gate_report(&call);
		code = refused(real_mpi()->Parrived(real_handle(handle), partition, flag));
		return error_check(request ? request->comm : MPI_COMM_WORLD, code,
		                   MPI_CALL_Parrived, site);
	}
	*flag = 1;
	if (!request->active || request->local) {
		gate_report(&call);
		return MPI_SUCCESS;
	}
	call.wait = WIRE_TEST_ALL;
	call.waited = &request->name;
	call.waited_count = 1;
	bool whole = gate_wait(&call).count > 0;
	code = poll_partition(request, partition, whole, flag);
	if (code == MPI_SUCCESS && *flag)
		partitions_end(partitioned->uses, partition);
	return error_check(request->comm, code, MPI_CALL_Parrived, site);
}
