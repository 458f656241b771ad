#include "request_internal.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "receiving.h"
#include "request_names.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/message_memory.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator.h"
#include "shim/objects/objects.h"

enum { CHUNK = 64, REAPED_AT_ONCE = 64, MOVED_AT_ONCE = 8 };

/* By index. Those not in use are chained in `unused`. */
static struct {
	struct request **slots;
	uint32_t count, capacity;
	struct request *unused;
} table;

/* A queue of requests without a handle that are posted to MPI. */
static struct {
	struct request *first, **last;
} unattended = {.last = &unattended.first};

/* A ring of requests whose data is moving. */
static struct {
	struct request *next;
	unsigned count;
} moving;

static unsigned incomplete;
static unsigned attended;    /* in use, and not unattended */
static unsigned collectives; /* that keep their order */

static struct request *arriving; /* a list: their data is to be put into the program's buffers */

static bool grow_table(void)
{
	struct request *chunk;

	if (table.count + CHUNK > table.capacity) {
		uint32_t capacity = table.capacity > 0 ? 2 * table.capacity : CHUNK;
		struct request **slots = realloc(table.slots, capacity * sizeof(*slots));
		if (!slots)
			return false;
		table.slots = slots;
		table.capacity = capacity;
	}
	if (table.count + CHUNK > ABI_OWN_REQUESTS_MOST)
		return false;
	chunk = calloc(CHUNK, sizeof(*chunk));
	if (!chunk)
		return false;
	for (uint32_t i = CHUNK; i-- > 0;) {
		chunk[i].index = table.count + i;
		chunk[i].next_unattended = table.unused;
		table.unused = &chunk[i];
		table.slots[table.count + i] = &chunk[i];
	}
	table.count += CHUNK;
	return true;
}

/* Calls are counted back from the last one, as in the world's fingerprint (world_fingerprint.h). */
static uint32_t age_of(uint32_t call)
{
	uint32_t calls = gate_current_call();

	return call > 0 && call <= calls ? calls - call + 1 : call;
}

static void add_request(const struct request *request,
                        void (*add)(void *user, const void *bytes, size_t size), void *user)
{
	const struct request *const *halves = (const struct request *const *)request->halves;
	const uint64_t parts[] = {
		(uint64_t)request->index << 32 | (uint64_t)request->kind,
		(uint64_t)age_of(request->name.call) << 32 | request->name.sub,
		(uint64_t)(uintptr_t)request->data,
		(uint64_t)(uint32_t)request->count << 32 | (uint32_t)request->mode,
		(uint64_t)(uint32_t)request->peer << 32 | (uint32_t)request->tag,
		ABI_BITS(request->type),
		ABI_BITS(request->comm),
		(uint64_t)request->made_by << 32 | (uint64_t)request->owns_type
			| (uint64_t)request->retains_comm << 1
			| (uint64_t)(request->bound && !request->ahead) << 2
			| (uint64_t)request->local << 3 | (uint64_t)request->persistent << 4
			| (uint64_t)request->active << 5 | (uint64_t)request->outlives << 6
			| (uint64_t)request->awaited << 7 | (uint64_t)request->unattended << 8
			| (uint64_t)request->must_copy << 9 | (uint64_t)request->held << 10
			| (uint64_t)request->copied << 11,
		request->made_at,
		(uint64_t)(uint32_t)request->bound_peer << 32 | (uint32_t)request->bound_tag,
		halves[0] ? (uint64_t)halves[0]->index + 1 : 0,
		halves[1] ? (uint64_t)halves[1]->index + 1 : 0,
	};

	add(user, parts, sizeof(parts));
}

void request_add_state(void (*add)(void *user, const void *bytes, size_t size), void *user)
{
	for (uint32_t i = 0; i < table.count; i++)
		if (table.slots[i]->in_use)
			add_request(table.slots[i], add, user);
	for (const struct request *next = table.unused; next; next = next->next_unattended)
		add(user, &next->index, sizeof(next->index));
}

struct request *request_new(enum request_kind kind, struct wire_name name, MPI_Comm comm)
{
	if (!table.unused && !grow_table())
		return NULL;
	struct request *request = table.unused;
	struct request *next = request->next_unattended;
	*request = (struct request){
		.in_use = true,
		.kind = kind,
		.index = request->index,
		.comm = comm,
		.real = MPI_REQUEST_NULL,
		.active = true,
	};
	if (request_rename(request, name) < 0) {
		request->in_use = false;
		request->next_unattended = next;
		return NULL;
	}
	table.unused = next;
	attended++;
	return request;
}

struct request *request_new_collective(struct wire_name name, MPI_Comm comm,
                                       const struct request_actions *actions, void *closure)
{
	struct request *request = request_new(REQUEST_COLLECTIVE, name, comm);
	if (request) {
		request->actions = actions;
		request->closure = closure;
	}
	return request;
}

struct request *request_new_pair(struct request *send, struct request *receive)
{
	struct request *pair = request_new(REQUEST_PAIR, (struct wire_name){0, 0}, send->comm);

	if (!pair)
		return NULL;
	pair->halves[0] = send;
	pair->halves[1] = receive;
	pair->local = send->local && receive->local;
	return pair;
}

struct wire_name request_asked_name(const struct request *request)
{
	uint32_t started = request->actions && request->actions->waits
	                           ? request->actions->waits(request->closure)
	                           : 0;

	if (started > 0)
		return (struct wire_name){WIRE_NEVER, started};
	if (request->kind != REQUEST_PAIR)
		return request->name;
	return request->halves[request->halves[1]->local ? 0 : 1]->name;
}

MPI_Request request_handle(const struct request *request)
{
	return abi_own_request(request->index);
}

struct request *request_find(MPI_Request handle)
{
	uint32_t index;

	if (!abi_is_own_request(handle, &index) || index >= table.count)
		return NULL;
	struct request *request = table.slots[index];
	return request->in_use && !request->unattended ? request : NULL;
}

MPI_Request request_inactive(void)
{
	static MPI_Request inactive;

	if (!inactive
	    && real_mpi()->Send_init(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &inactive)
	               != MPI_SUCCESS)
		inactive = 0;
	return inactive ? inactive : MPI_REQUEST_NULL;
}

/* If MPI still sends the copy, it lives on in a request of its own. */
static void release_copy(struct request *request)
{
	request->copied = false;
	message_memory_free(request->copy);
	request->copy = NULL;
	if (request->buffered.bytes > 0)
		buffer_give_back(request->buffered);
	request->buffered = (struct buffer_room){0};
}

static void leave_order(struct request *request)
{
	collectives -= request->keeps_order;
	request->keeps_order = false;
}

void request_release(struct request *request)
{
	leave_order(request);
	attended -= !request->unattended;
	receiving_leave(request);
	request_forget_name(request);
	release_copy(request);
	buffer_checksum_release(request);
	if (request->owns_type)
		real_mpi()->Type_free(&request->type);
	if (request->retains_comm)
		communicator_release(request->comm);
	if (request->actions && request->actions->release)
		request->actions->release(request->closure);
	request->in_use = false;
	request->next_unattended = table.unused;
	table.unused = request;
}

static void set_moving(struct request *request, bool moves)
{
	if (request->moving == moves)
		return;
	request->moving = moves;
	if (!moves) {
		request->previous_moving->next_moving = request->next_moving;
		request->next_moving->previous_moving = request->previous_moving;
		if (moving.next == request)
			moving.next = --moving.count > 0 ? request->next_moving : NULL;
		else
			moving.count--;
		return;
	}
	struct request *next = moving.count++ > 0 ? moving.next : request;
	request->next_moving = next;
	request->previous_moving = next == request ? request : next->previous_moving;
	request->previous_moving->next_moving = request;
	next->previous_moving = request;
	moving.next = next;
}

/* Moves a staged message to the program's buffer. The message is dropped if other frames are there
 * now, perhaps those of this call. */
static void deliver_message(struct request *request)
{
	const bool is_there = !request->checksum.gone.found;

	if (!request->staged || !request->completed)
		return;
	request->staged = false;
	buffer_checksum_before_delivery(request);
	staging_over(&request->staging, is_there ? &request->status : NULL);
	buffer_checksum_after_delivery(request);
}

static void set_real_over(struct request *request, int code)
{
	set_moving(request, false);
	if (request->kind == REQUEST_COLLECTIVE)
		request->status = request_empty_status();
	request->real = MPI_REQUEST_NULL;
	request->completed = true;
	request->code = code;
	if (request->kind == REQUEST_RECEIVE && !request->staged) {
		staging_over(&request->staging, &request->status);
		buffer_checksum_after_delivery(request);
	} else if (request->kind == REQUEST_COLLECTIVE) {
		buffer_checksum_after_delivery(request);
	}
	if (request->actions && request->actions->over) {
		request->actions->over(request->closure, code);
		request->actions = NULL;
	}
}

/* Whether the request continues with another request of MPI's. */
static bool advances(struct request *request, int *code)
{
	if (!request->actions || !request->actions->advance)
		return false;
	*code = request->actions->advance(request->closure, *code, &request->status,
	                                  &request->real);
	request->status = request_empty_status();
	return request->real != MPI_REQUEST_NULL;
}

/* Requests are tested as soon as they are posted: small messages are often over at once, and the
 * gate must poll while a request is incomplete. */
static bool poll_library(struct request *request)
{
	int code, done;

	do {
		done = 0;
		code = real_mpi()->Test(&request->real, &done, &request->status);
		if (code == MPI_SUCCESS && !done)
			return false;
	} while (advances(request, &code));
	incomplete--;
	set_real_over(request, code);
	return true;
}

void request_carry(struct request *request, MPI_Request real)
{
	request->real = real;
	request_posted(request, MPI_SUCCESS);
}

void request_post_later(struct request *request)
{
	collectives += !request->keeps_order;
	request->keeps_order = true;
}

bool request_collectives_wait(void)
{
	return collectives > 0;
}

void request_posted(struct request *request, int code)
{
	request->bound = true;
	leave_order(request);
	if (code != MPI_SUCCESS || request->real == MPI_REQUEST_NULL) {
		request->real = MPI_REQUEST_NULL;
		request->status = request_empty_status();
		set_real_over(request, code);
		return;
	}
	incomplete++;
	if (request->kind != REQUEST_COLLECTIVE && !poll_library(request))
		set_moving(request, request->kind == REQUEST_RECEIVE && !request->ahead);
}

/* Queues a request that is posted to MPI and has no handle in the program. */
static void watch_unattended(struct request *request)
{
	request->next_unattended = NULL;
	*unattended.last = request;
	unattended.last = &request->next_unattended;
}

void request_post(struct request *request)
{
	int code = request->actions->post(request->closure, &request->real);

	request_posted(request, code);
}

void request_bind(const struct wire_bind *bind)
{
	struct request *request = request_find_named(bind->name);

	if (!request)
		return;
	if (bind->source == WIRE_ARRIVES) {
		if (request->bound && request->staged) {
			request->next_arriving = arriving;
			arriving = request;
		}
		return;
	}
	if (request->kind == REQUEST_SEND && request->actions && !request->bound) {
		request->bound_peer = bind->source;
		request_post(request);
	}
	if (request->kind == REQUEST_SEND || request->kind == REQUEST_PARTITIONED)
		set_moving(request, request->real != MPI_REQUEST_NULL);
	if ((request->bound || request->completed) && !request->ahead)
		return;
	request->bound_peer = bind->source;
	request->bound_tag = bind->tag;
	request->checksum.matched = request->kind == REQUEST_RECEIVE;
	request->checksum.size = bind->bytes;
	if (request->ahead) {
		request->ahead = false;
		set_moving(request, request->real != MPI_REQUEST_NULL);
		return;
	}
	switch (request->kind) {
	case REQUEST_RECEIVE: receiving_post(request); break;
	case REQUEST_COLLECTIVE:
		buffer_checksum_before_delivery(request);
		request_post(request);
		break;
	case REQUEST_PROBE: request->bound = true; break;
	case REQUEST_SEND:
	case REQUEST_PAIR:
	case REQUEST_PARTITIONED: return;
	}
	if (request->unattended)
		watch_unattended(request);
}

void request_let_arrive(void)
{
	while (arriving) {
		struct request *request = arriving;

		arriving = request->next_arriving;
		request_complete(request);
	}
}

static int complete_pair(struct request *pair)
{
	int sent = request_complete(pair->halves[0]);
	int received = request_complete(pair->halves[1]);

	pair->status = pair->halves[1]->status;
	pair->code = sent != MPI_SUCCESS ? sent : received;
	pair->completed = true;
	return pair->code;
}

int request_complete(struct request *request)
{
	if (request->completed) {
		deliver_message(request);
		return request->code;
	}
	if (request->kind == REQUEST_PAIR)
		return complete_pair(request);
	if (request->copied) {
		/* MPI continues with the copy. */
		request->status = request_empty_status();
		return MPI_SUCCESS;
	}
	if (request->real == MPI_REQUEST_NULL) {
		request->status = request_empty_status();
		set_real_over(request, MPI_SUCCESS);
	} else {
		request->status.MPI_ERROR = MPI_SUCCESS;
		int code;
		do {
			code = gate_complete(&request->real, &request->status);
		} while (advances(request, &code));
		incomplete--;
		set_real_over(request, code);
		deliver_message(request);
	}
	return request->code;
}

bool request_try(struct request *request)
{
	return request->completed || (request->real != MPI_REQUEST_NULL && poll_library(request));
}

/* true: the request is over and freed. */
static bool reap(struct request *request)
{
	if (request->real != MPI_REQUEST_NULL && !poll_library(request))
		return false;
	deliver_message(request);
	request_release(request);
	return true;
}

/* Tests the oldest ones. Those that are not over move to the end of the queue. */
static void reap_some(void)
{
	struct request *end = NULL;

	for (int i = 0; i < REAPED_AT_ONCE && unattended.first; i++) {
		struct request *request = unattended.first;
		if (request == end)
			return;
		unattended.first = request->next_unattended;
		if (!unattended.first)
			unattended.last = &unattended.first;
		if (reap(request))
			continue;
		if (!end)
			end = request;
		watch_unattended(request);
	}
}

static int query_nothing(void *state, MPI_Status *status)
{
	(void)state;
	(void)status;
	return MPI_SUCCESS;
}

static int free_nothing(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancel_nothing(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

/* Testing a request that never completes drives everything else. (MPI_Iprobe of MPICH 4.0.2 does
 * not on MPI_COMM_SELF, and elsewhere only seldom.) */
void request_progress(void)
{
	static MPI_Request never = MPI_REQUEST_NULL;
	int done;

	reap_some();
	for (unsigned i = 0; i < MOVED_AT_ONCE && moving.count > 0; i++) {
		struct request *request = moving.next;
		moving.next = request->next_moving;
		poll_library(request);
	}
	if (moving.count > 0)
		return;
	if (never == MPI_REQUEST_NULL)
		real_mpi()->Grequest_start(query_nothing, free_nothing, cancel_nothing, NULL,
		                           &never);
	real_mpi()->Test(&never, &done, MPI_STATUS_IGNORE);
}

unsigned request_incomplete(void)
{
	return incomplete;
}

unsigned request_attended(void)
{
	return attended;
}

unsigned request_moving(void)
{
	return moving.count;
}

struct wire_left *request_left(uint32_t *ret_count)
{
	struct wire_left *left = NULL;

	*ret_count = 0;
	for (uint32_t i = 0; i < table.count; i++) {
		struct request *request = table.slots[i];
		if (!request->in_use || request->unattended || request->made_by == 0)
			continue;
		left = objects_count(left, ret_count,
		                     request->persistent ? WIRE_OBJECT_PERSISTENT
		                                         : WIRE_OBJECT_REQUEST,
		                     request->made_by, request->made_at);
		request->made_by = 0;
	}
	return left;
}

void request_settle(void)
{
	for (uint32_t i = 0; i < table.count; i++) {
		struct request *request = table.slots[i];

		if (request->in_use && request->kind == REQUEST_RECEIVE)
			buffer_checksum_settle(request);
	}
}

void request_abandon(struct request *request)
{
	enum { REAP_EVERY = 16 };
	static unsigned abandoned;

	buffer_checksum_release(request);
	deliver_message(request);
	attended -= !request->unattended;
	request->unattended = true;
	if (request->kind == REQUEST_PAIR) {
		request_abandon(request->halves[0]);
		request_abandon(request->halves[1]);
		request_release(request);
		return;
	}
	if (request->real != MPI_REQUEST_NULL)
		watch_unattended(request);
	else if (request->completed || request->kind == REQUEST_SEND || !request->active)
		request_release(request);
	if (++abandoned % REAP_EVERY == 0)
		reap_some();
}

/* Moves MPI's request with the copy of a persistent send's message to a request of its own. */
static void leave_copy_behind(struct request *request)
{
	struct wire_name name = request->name;
	request_forget_name(request);
	struct request *carrier = request_new(REQUEST_SEND, name, request->comm);

	if (!carrier) {
		gate_complete(&request->real, MPI_STATUS_IGNORE);
		incomplete--;
		set_real_over(request, MPI_SUCCESS);
		return;
	}
	carrier->real = request->real;
	set_moving(carrier, request->moving);
	set_moving(request, false);
	carrier->copied = request->copied;
	carrier->copy = request->copy;
	carrier->buffered = request->buffered;
	request->copy = NULL;
	request->buffered = (struct buffer_room){0};
	request_abandon(carrier);
}

void request_retire(struct request *request)
{
	if (!request->persistent) {
		request_abandon(request);
		return;
	}
	if (request->real != MPI_REQUEST_NULL)
		leave_copy_behind(request);
	request_forget_name(request);
	release_copy(request);
	request->real = MPI_REQUEST_NULL;
	request->active = request->bound = request->completed = request->awaited = false;
	request->ahead = false;
	request->local = false;
	request->code = MPI_SUCCESS;
}

void request_withdraw(struct request *request)
{
	buffer_checksum_cancelled(request);
	receiving_leave(request);
	request->completed = true;
	request->code = MPI_SUCCESS;
	request->status = request_empty_status();
	real_mpi()->Status_set_cancelled(&request->status, 1);
}
