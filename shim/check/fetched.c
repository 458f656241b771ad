#include "fetched.h"

#include <stdlib.h>
#include <string.h>

#include "access_checksum.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/message_memory.h"
#include "shim/mpi/real.h"
#include "shim/objects/windows.h"
#include "shim/types/bytes.h"

/* The data of one call. The staging buffer has the layout of the program's, from its lowest
 * byte. */
struct fetch {
	char *staged;
	intptr_t low; /* the address in the program's buffer that `staged` stands for */
	struct bytes *bytes;
	struct wire_access access; /* no parts */
	struct fetch *next;
};

/* In the order of the calls: those under way, and those that MPI is completing. */
struct queue {
	struct fetch *first, **last;
};

static struct queue under_way = {NULL, &under_way.first}, ready = {NULL, &ready.first};

static void append(struct queue *queue, struct fetch *fetch)
{
	fetch->next = NULL;
	*queue->last = fetch;
	queue->last = &fetch->next;
}

static void fetch_free(struct fetch *fetch)
{
	if (!fetch)
		return;
	message_memory_free(fetch->staged);
	bytes_release(fetch->bytes);
	free(fetch);
}

/* NULL: there are no bytes, or MPI will refuse an argument. */
static struct bytes *bytes_to_write(const void *data, MPI_Count count, MPI_Datatype type)
{
	MPI_Count size;

	if (!data || count <= 0 || type == MPI_DATATYPE_NULL
	    || real_mpi()->Type_size_x(type, &size) != MPI_SUCCESS)
		return NULL;
	return bytes_of(WIRE_PART_WRITTEN, data, count, type);
}

/* The buffer into which the call fetches. NULL: none. */
static struct bytes *fetched_bytes(const struct access_call *call)
{
	if (call->result)
		return bytes_to_write(call->result, call->result_count, call->result_type);
	if (mpi_call_access(call->function) == MPI_CALL_ACCESS_GET)
		return bytes_to_write(call->origin, call->origin_count, call->origin_type);
	return NULL;
}

static void *buffer_of(const struct access_call *call)
{
	return mpi_call_access(call->function) == MPI_CALL_ACCESS_GET ? (void *)call->origin
	                                                              : call->result;
}

static bool copy_in(void *user, uintptr_t address, size_t length)
{
	const struct fetch *fetch = user;

	memcpy(fetch->staged + ((intptr_t)address - fetch->low), (const void *)address, length);
	return true;
}

static bool copy_out(void *user, uintptr_t address, size_t length)
{
	const struct fetch *fetch = user;

	memcpy((void *)address, fetch->staged + ((intptr_t)address - fetch->low), length);
	return true;
}

/* Takes ownership of the bytes. NULL: the program's buffer must do. */
static struct fetch *fetch_new(struct bytes *bytes)
{
	int64_t low = 0, high = 0;
	struct fetch *fetch = NULL;

	if (bytes_span_all(bytes, &low, &high) && !bytes->unknown && high - low <= WIRE_STAGED_MOST)
		fetch = calloc(1, sizeof(*fetch));
	if (!fetch) {
		bytes_release(bytes);
		return NULL;
	}
	fetch->bytes = bytes;
	fetch->low = low;
	fetch->staged = message_memory_new((size_t)(high - low));
	if (!fetch->staged) {
		fetch_free(fetch);
		return NULL;
	}
	/* MPI may fetch less than the buffer holds. */
	bytes_locate(bytes, WIRE_PART_WRITTEN, 0, UINT64_MAX, copy_in, fetch);
	return fetch;
}

void *fetched_begin(struct access_call *call)
{
	void *buffer = buffer_of(call);
	struct bytes *bytes;
	uint64_t number;

	if (gate_is_serialised() || gate_welcome()->buffering == WIRE_BUFFERING_ZERO
	    || call->target == MPI_PROC_NULL || !window_find(call->window, &number))
		return buffer;
	bytes = fetched_bytes(call);
	call->fetch = bytes ? fetch_new(bytes) : NULL;
	if (!call->fetch)
		return buffer;
	return (void *)((uintptr_t)call->fetch->staged
	                + ((uintptr_t)buffer - (uintptr_t)call->fetch->low));
}

/* In an epoch without a lock nothing can be flushed. But MPICH completes the calls of one rank to
 * another in their order. So another call is made that has a request: MPI_Get once more, since it
 * fetches the same, or a byte of the same memory. MPICH's request of a derived type is complete at
 * once, before the data is there. */
static bool complete_by_request(const struct access_call *call)
{
	bool again = mpi_call_access(call->function) == MPI_CALL_ACCESS_GET
	             && abi_is_basic(call->origin_type) && abi_is_basic(call->target_type);
	MPI_Aint low = 0, extent;
	MPI_Request request;
	char scratch;
	int code;

	if (again) {
		code = real_mpi()->Rget((void *)call->origin, (int)call->origin_count,
		                        call->origin_type, call->target, call->displacement,
		                        (int)call->target_count, call->target_type, call->window,
		                        &request);
	} else {
		real_mpi()->Type_get_true_extent(call->target_type, &low, &extent);
		if (low != 0)
			return false;
		code = real_mpi()->Rget(&scratch, 1, MPI_BYTE, call->target, call->displacement, 1,
		                        MPI_BYTE, call->window, &request);
	}
	return code == MPI_SUCCESS && gate_complete(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

bool fetched_made(const struct access_call *call, bool locked)
{
	enum { INTS_MAX = 1 << 30 };

	if (gate_is_serialised() || !buffer_of(call) || call->target_count == 0)
		return false;
	if (call->fetch)
		return true;
	if (gate_welcome()->buffering != WIRE_BUFFERING_ZERO)
		return false;
	if (locked)
		return real_mpi()->Win_flush_local(call->target, call->window) == MPI_SUCCESS;
	if (call->origin_count > INTS_MAX || call->target_count > INTS_MAX)
		return false;
	return complete_by_request(call);
}

bool fetched_settle(const struct access_call *call, bool locked)
{
	if (locked)
		return real_mpi()->Win_flush(call->target, call->window) == MPI_SUCCESS;
	return complete_by_request(call);
}

void fetched_keep(struct access_call *call, const struct wire_access *access)
{
	if (!call->fetch)
		return;
	call->fetch->access = *access;
	call->fetch->access.parts = NULL;
	call->fetch->access.part_count = 0;
	append(&under_way, call->fetch);
	call->fetch = NULL;
}

void fetched_drop(struct access_call *call)
{
	fetch_free(call->fetch);
	call->fetch = NULL;
}

void fetched_complete(const struct wire_access *by)
{
	struct fetch **at = &under_way.first;

	if (by->kind == WIRE_ACCESS_DATA)
		return;
	while (*at) {
		struct fetch *fetch = *at;

		if (!access_completes(by, &fetch->access)) {
			at = &fetch->next;
			continue;
		}
		*at = fetch->next;
		if (!fetch->next)
			under_way.last = at;
		append(&ready, fetch);
		if (by->kind == WIRE_ACCESS_REQUEST)
			break;
	}
}

void fetched_arrive(void)
{
	while (ready.first) {
		struct fetch *fetch = ready.first;

		ready.first = fetch->next;
		if (!ready.first)
			ready.last = &ready.first;
		bytes_locate(fetch->bytes, WIRE_PART_WRITTEN, 0, UINT64_MAX, copy_out, fetch);
		fetch_free(fetch);
	}
}
