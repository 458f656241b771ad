/* One-sided communication of a fake rank: the messages of shim/calls/window.c and
 * shim/check/access.c, and the effect of MPI on memory. Accesses to windows are reported at once,
 * not with the next message. */
#include "fake_internal.h"
#include "mpi_calls.h"

enum { CELL_BYTES = 4, INTS = TYPE_CODE(TYPE_INT, 4), OWN_MEMORY = 0x10000 };

/* The communicators of the windows, as reported: the locked window, the other one. */
static uint64_t comm_of_window(guint index)
{
	return FAKE_COMM + 1 + index;
}

static void say_accesses(struct speech *speech, struct wire_access *accesses, uint32_t count)
{
	const struct wire_message message = {.type = WIRE_ACCESSES, .accesses = {count, accesses}};

	speech->say(speech->user, &message);
}

/* Reports an access that transfers nothing: a flush and the like. */
static void say_step(struct speech *speech, enum wire_access_kind kind, uint16_t function,
                     guint window, int target)
{
	struct wire_access access = {.kind = (uint8_t)kind,
	                             .function = function,
	                             .site = fake_site(speech->rank),
	                             .window = comm_of_window(window),
	                             .target = target};

	say_accesses(speech, &access, 1);
}

void fake_make_window(struct speech *speech)
{
	struct fake_rank *rank = speech->rank;
	guint index = rank->windows++;
	char name[] = "MPI_Win_create of MPI_COMM_WORLD";
	int32_t members[PROGRAM_MAX_RANKS];
	const struct wire_message message = {.type = WIRE_COMM,
	                                     .comm = {.comm = comm_of_window(index),
	                                              .local = members,
	                                              .local_count = (uint32_t)rank->program->ranks,
	                                              .my_rank = rank->rank,
	                                              .window = rank->rank == 0 ? index + 1 : 0,
	                                              .unit = CELL_BYTES,
	                                              .name = name}};
	struct wire_access place = {.kind = WIRE_ACCESS_WINDOW,
	                            .function = MPI_CALL_Win_create,
	                            .window = comm_of_window(index),
	                            .target = WIRE_ANY,
	                            .displacement = 0x1000 * (gint64)(index + 1),
	                            .unit = CELL_BYTES};
	struct wire_op op = {.kind = WIRE_COLLECTIVE, .comm = WIRE_COMM_WORLD, .peer = -1};

	for (int i = 0; i < rank->program->ranks; i++)
		members[i] = i;
	speech->say(speech->user, &message);
	say_accesses(speech, &place, 1);
	fake_start(speech, MPI_CALL_Win_create, &op, WIRE_WAIT_ALL);
}

void fake_free_window(struct speech *speech)
{
	guint index = --speech->rank->windows;
	struct wire_op op = {.kind = WIRE_COLLECTIVE, .comm = comm_of_window(index), .peer = -1};

	say_step(speech, WIRE_ACCESS_FREE, MPI_CALL_Win_free, index, WIRE_ANY);
	fake_start(speech, MPI_CALL_Win_free, &op, WIRE_WAIT_ALL);
}

/* --- transfers -------------------------------------------------------------------------------- */

static uint16_t function_of(const struct instruction *own)
{
	return own->kind == INSTRUCTION_PUT   ? MPI_CALL_Put
	       : own->kind == INSTRUCTION_GET ? MPI_CALL_Get
	                                      : MPI_CALL_Accumulate;
}

static void say_transfer(struct speech *speech, const struct instruction *own)
{
	struct fake_rank *rank = speech->rank;
	bool reads = own->kind == INSTRUCTION_GET;
	guint window = own->cell == CELL_UNREAD ? 1 : 0;
	struct wire_part parts[] = {
		{.role = WIRE_PART_TARGET, .length = CELL_BYTES, .times = 1, .count = 1},
		{.role = reads ? WIRE_PART_WRITTEN : WIRE_PART_READ,
	         .start = OWN_MEMORY + CELL_BYTES * (gint64)fake_line(rank)->place,
	         .length = CELL_BYTES,
	         .times = 1,
	         .count = 1}};
	struct wire_access accesses[] = {{.kind = WIRE_ACCESS_DATA,
	                                  .flags = reads ? WIRE_ACCESS_READS : WIRE_ACCESS_WRITES,
	                                  .function = function_of(own),
	                                  .site = fake_site(rank),
	                                  .window = comm_of_window(window),
	                                  .target = own->peer,
	                                  .number = ++rank->accesses,
	                                  .displacement = own->cell,
	                                  .part_count = G_N_ELEMENTS(parts),
	                                  .parts = parts},
	                                 {.kind = WIRE_ACCESS_FLUSH,
	                                  .function = MPI_CALL_Win_flush,
	                                  .site = fake_site(rank),
	                                  .window = comm_of_window(window),
	                                  .target = own->peer}};

	if (own->kind == INSTRUCTION_ACCUMULATE) {
		accesses[0].flags |= WIRE_ACCESS_ATOMIC;
		accesses[0].reduction = OP_SUM;
		accesses[0].basic = INTS;
	}
	say_accesses(speech, accesses, own->flushed ? 2 : 1);
}

/* Applies the transfer to memory. */
static void transfer(struct fake_rank *rank, const struct instruction *own)
{
	struct fake_memory *memory = rank->memory;
	int index = rank->program->first[rank->rank] + fake_line(rank)->place;
	guint8 *last = &memory->last[own->peer], *sum = &memory->sum[own->peer];
	guint8 *state = &rank->ops[fake_line(rank)->place].state;

	if (own->cell == CELL_UNREAD || own->cell == CELL_SPARE)
		*state = own->kind == INSTRUCTION_GET ? (guint8)(MATCHED + index) : *state;
	else if (own->kind == INSTRUCTION_PUT)
		*last = (guint8)(index + 1);
	else if (own->kind == INSTRUCTION_ACCUMULATE)
		*sum = (guint8)(*sum + 1);
	else if (own->cell == CELL_SUM)
		*state = (guint8)(MATCHED + *sum);
	else
		*state = (guint8)(MATCHED + (*last == 0 ? index : *last - 1));
}

/* --- locks ------------------------------------------------------------------------------------ */

static void lock(struct speech *speech, const struct instruction *own)
{
	struct wire_op op = {.kind = WIRE_LOCK,
	                     .mode = own->shared ? WIRE_LOCK_SHARED : WIRE_LOCK_EXCLUSIVE,
	                     .comm = comm_of_window(0),
	                     .peer = own->peer < 0 ? WIRE_ANY : own->peer};

	fake_start(speech, own->peer < 0 ? MPI_CALL_Win_lock_all : MPI_CALL_Win_lock, &op,
	           WIRE_WAIT_ALL);
}

void fake_take_lock(struct fake_rank *rank)
{
	const struct instruction *own = fake_instruction(rank, fake_line(rank)->place);
	guint8 *grants = rank->memory->grants;
	int granted = 0;

	for (int target = 0; own->peer < 0 && target < rank->program->ranks; target++)
		granted = granted * GRANTS_BASE + grants[target];
	if (own->peer >= 0) {
		granted = grants[own->peer];
		grants[own->peer] = (guint8)(granted + !own->shared);
	}
	rank->ops[fake_line(rank)->place].state = (guint8)(MATCHED + granted);
}

/* --- atomic operations ------------------------------------------------------------------------ */

static struct wire_op atomic_op(const struct instruction *own, enum wire_op_kind kind)
{
	return (struct wire_op){.kind = (uint8_t)kind,
	                        .mode = own->shared ? WIRE_LOCK_SHARE : WIRE_LOCK_UPDATE,
	                        .comm = comm_of_window(0),
	                        .peer = own->peer};
}

static void ask_to_fetch(struct speech *speech, const struct instruction *own)
{
	struct wire_op op = atomic_op(own, WIRE_LOCK);

	op.counts = own->cell;
	op.bytes = op.reduction = CELL_BYTES;
	fake_start(speech, MPI_CALL_Fetch_and_op, &op, WIRE_WAIT_ALL);
}

void fake_fetch(struct fake_rank *rank)
{
	guint8 place = fake_line(rank)->place;
	const struct instruction *own = fake_instruction(rank, place);
	guint8 *counter = &rank->memory->counter[own->peer];

	rank->ops[place].state = (guint8)(MATCHED + *counter);
	*counter = (guint8)(*counter + !own->shared);
	rank->fetched = true;
}

void fake_say_fetched(struct speech *speech)
{
	guint8 place = fake_line(speech->rank)->place;
	const struct instruction *own = fake_instruction(speech->rank, place);
	struct wire_op op = atomic_op(own, WIRE_UNLOCK);
	struct wire_call call = {.function = MPI_CALL_Fetch_and_op, .op_count = 1, .ops = &op};

	speech->rank->fetched = false;
	op.name = (struct wire_name){speech->rank->ops[place].call, WIRE_LOCK_REFUSED};
	op.counts = speech->rank->ops[place].state;
	op.tag = !own->shared;
	fake_say_call(speech, &call);
	if (!speech->waits)
		fake_line(speech->rank)->place++;
}

/* Accumulates under a shared lock only may occur in any order. */
static void unlock(struct speech *speech, const struct instruction *own)
{
	int target = own->peer < 0 ? WIRE_ANY : own->peer;
	uint16_t function = own->peer < 0 ? MPI_CALL_Win_unlock_all : MPI_CALL_Win_unlock;
	struct wire_op op = {
		.kind = WIRE_UNLOCK, .comm = comm_of_window(0), .peer = target, .tag = own->shared};

	say_step(speech, WIRE_ACCESS_FLUSH, function, 0, target);
	fake_start(speech, function, &op, WIRE_WAIT_NONE);
}

/* --- post, start, complete, wait; fence ------------------------------------------------------- */

static struct wire_op message_op(struct speech *speech, uint8_t kind, int tag, int peer,
                                 uint32_t sub)
{
	return (struct wire_op){.name = {speech->rank->calls + 1, sub},
	                        .kind = kind,
	                        .mode = kind == WIRE_SEND ? WIRE_BUFFERED : WIRE_STANDARD,
	                        .nonblocking = kind == WIRE_RECEIVE,
	                        .comm = comm_of_window(1),
	                        .peer = peer,
	                        .tag = tag};
}

static void post(struct speech *speech, const struct instruction *own)
{
	struct wire_op ops[] = {
		message_op(speech, WIRE_SEND, WIRE_EXPOSED, own->peer, 0),
		message_op(speech, WIRE_RECEIVE, WIRE_COMPLETED, own->peer, 1),
	};
	struct wire_call call = {.function = MPI_CALL_Win_post, .op_count = 2, .ops = ops};

	speech->rank->calls++;
	speech->rank->exposed[own->peer] = speech->rank->calls;
	fake_say_call(speech, &call);
}

static void start(struct speech *speech, const struct instruction *own)
{
	struct wire_op op = message_op(speech, WIRE_RECEIVE, WIRE_EXPOSED, own->peer, 0);

	fake_start(speech, MPI_CALL_Win_start, &op, WIRE_WAIT_ALL);
}

static void complete(struct speech *speech, const struct instruction *own)
{
	struct wire_op op = message_op(speech, WIRE_SEND, WIRE_COMPLETED, own->peer, 0);

	say_step(speech, WIRE_ACCESS_COMPLETE, MPI_CALL_Win_complete, 1, WIRE_ANY);
	fake_start(speech, MPI_CALL_Win_complete, &op, WIRE_WAIT_NONE);
}

static void wait_window(struct speech *speech, const struct instruction *own)
{
	struct wire_name name = {speech->rank->exposed[own->peer], 1};
	struct wire_call call = {.function = MPI_CALL_Win_wait,
	                         .wait = WIRE_WAIT_ALL,
	                         .waited_count = 1,
	                         .waited = &name};

	speech->rank->calls++;
	fake_say_call(speech, &call);
}

void fake_say_awaited(struct speech *speech)
{
	speech->rank->awaited = false;
	say_step(speech, WIRE_ACCESS_WAIT, MPI_CALL_NONE, 1, WIRE_ANY);
}

void fake_say_fence(struct speech *speech)
{
	say_step(speech, WIRE_ACCESS_FENCE, MPI_CALL_Win_fence, 1, WIRE_ANY);
}

bool fake_say_access(struct speech *speech, const struct instruction *own)
{
	switch (own->kind) {
	case INSTRUCTION_PUT:
	case INSTRUCTION_GET:
	case INSTRUCTION_ACCUMULATE:
		transfer(speech->rank, own);
		say_transfer(speech, own);
		return true;
	case INSTRUCTION_FETCH: ask_to_fetch(speech, own); return true;
	case INSTRUCTION_LOCK: lock(speech, own); return true;
	case INSTRUCTION_UNLOCK: unlock(speech, own); return true;
	case INSTRUCTION_POST: post(speech, own); return true;
	case INSTRUCTION_START: start(speech, own); return true;
	case INSTRUCTION_COMPLETE: complete(speech, own); return true;
	case INSTRUCTION_WAIT_WINDOW: wait_window(speech, own); return true;
	default: return false;
	}
}
