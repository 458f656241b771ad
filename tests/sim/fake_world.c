#include "fake_world.h"

#include <string.h>

#include "brute_force.h"
#include "fake_world_internal.h"

struct world *world_new(const struct random_program *program, enum program_buffering buffering,
                        GRand *random)
{
	struct world *world = g_new0(struct world, 1);
	gsize count = (gsize)program->count;

	world->program = program;
	world->buffering = buffering;
	world->some = ANSWER_WINDOW;
	world->random = random;
	world->matcher = matcher_new(program->ranks);
	world->choices = g_array_new(FALSE, FALSE, sizeof(struct choice));
	world->states = g_new0(guint8, count);
	world->call = g_new0(guint32, count);
	world->reporters = g_new0(guint8, count);
	world->learnt = g_new0(bool, count);
	world->decided = g_new0(enum answer_kind, count);
	for (int rank = 0; rank < program->ranks; rank++) {
		world->place[rank] = (guint8)program->first[rank];
		world->calls[rank] = PROGRAM_FIRST_CALL - 1;
	}
	trace_init(&world->trace);
	return world;
}

struct world *world_copy(const struct world *from)
{
	gsize count = (gsize)from->program->count;
	struct world *world = g_memdup2(from, sizeof *from);

	world->matcher = matcher_copy(from->matcher);
	trace_init(&world->trace);
	trace_copy(&world->trace, &from->trace);
	world->choices = g_array_copy(from->choices);
	world->states = g_memdup2(from->states, count * sizeof *from->states);
	world->call = g_memdup2(from->call, count * sizeof *from->call);
	world->reporters = g_memdup2(from->reporters, count * sizeof *from->reporters);
	world->learnt = g_memdup2(from->learnt, count * sizeof *from->learnt);
	world->decided = g_memdup2(from->decided, count * sizeof *from->decided);
	return world;
}

void world_free(void *pointer)
{
	struct world *world = pointer;

	matcher_free(world->matcher);
	trace_release(&world->trace);
	g_array_free(world->choices, TRUE);
	g_free(world->states);
	g_free(world->call);
	g_free(world->reporters);
	g_free(world->learnt);
	g_free(world->decided);
	g_free(world);
}

struct op_id world_id_of(const struct world *world, int index)
{
	return (struct op_id){world_at(world, index)->rank, world->call[index], 0};
}

int world_index_of(const struct world *world, struct op_id id)
{
	for (int i = world->program->first[id.rank]; i < world->program->first[id.rank + 1]; i++)
		if (world->call[i] == id.call)
			return i;
	g_assert_not_reached();
}

void world_note(struct world *world, struct event event)
{
	trace_append(&world->trace, &event);
}

void world_note_match(struct world *world, struct match match, bool chosen)
{
	int receive = world_index_of(world, match.receive);
	int send = world_index_of(world, match.send);

	world_note(world, (struct event){.kind = EVENT_MATCH,
	                                 .chosen = chosen,
	                                 .op.id = match.receive,
	                                 .other = match.send});
	world->states[receive] = (guint8)(MATCHED + send);
	if (world_at(world, receive)->kind != INSTRUCTION_PROBE
	    && world_at(world, receive)->kind != INSTRUCTION_IPROBE)
		world->states[send] = (guint8)(MATCHED + receive);
}

void world_settle(struct world *world)
{
	g_autoptr(GArray) matches = g_array_new(FALSE, FALSE, sizeof(struct match));

	matcher_settle(world->matcher, matches);
	for (guint i = 0; i < matches->len; i++)
		world_note_match(world, g_array_index(matches, struct match, i), false);
}

static void post(struct world *world, int index)
{
	const struct instruction *instruction = world_at(world, index);
	struct operation op = {.id = world_id_of(world, index),
	                       .kind = OPERATION_RECEIVE,
	                       .comm = (guint64)instruction->comm,
	                       .peer = instruction->peer,
	                       .tag = instruction->tag};

	if (instruction->kind == INSTRUCTION_SEND) {
		op.kind = OPERATION_SEND;
		op.waits_for_match = instruction->synchronous
		                     || world->buffering != PROGRAM_INFINITE;
	} else if (instruction->kind == INSTRUCTION_PROBE) {
		op.kind = OPERATION_PROBE;
	} else if (instruction->kind == INSTRUCTION_IPROBE) {
		op.kind = OPERATION_PROBE;
		op.by_choice = true;
	} else if (instruction->kind == INSTRUCTION_MPROBE) {
		op.kind = OPERATION_MPROBE;
	} else if (instruction->kind == INSTRUCTION_RECEIVE_PROBED) {
		const struct instruction *probed = world_at(world, world->states[instruction->of]
		                                                           - MATCHED);

		op.peer = probed->rank;
		op.tag = probed->tag;
	} else {
		op.by_choice = is_chosen(world->program, instruction);
	}
	world_note(world,
	           (struct event){.kind = op.kind == OPERATION_SEND ? EVENT_SEND : EVENT_RECEIVE,
	                          .op = op});
	matcher_post(world->matcher, &op);
	world_settle(world);
}

bool world_is_active(const struct world *world, int index)
{
	return world_at(world, index)->nonblocking && world->states[index] != ABSENT
	       && world->reporters[index] == 0;
}

GArray *world_asked(const struct world *world, int question)
{
	const struct instruction *own = world_at(world, question);
	GArray *asked = g_array_new(FALSE, FALSE, sizeof(int));

	for (int i = world->program->first[own->rank]; i < question; i++)
		if (world_is_active(world, i) && (own->kind != INSTRUCTION_TEST || i == own->of))
			g_array_append_val(asked, i);
	return asked;
}

static void ask(struct world *world, int index)
{
	g_autoptr(GArray) indices = world_asked(world, index);
	g_autoptr(GArray) asked = g_array_new(FALSE, FALSE, sizeof(struct asked));

	for (guint i = 0; i < indices->len; i++) {
		struct asked one = {world_id_of(world, g_array_index(indices, int, i)), i};

		g_array_append_val(asked, one);
	}
	if (asked->len > 0)
		trace_append_ask(&world->trace, world_id_of(world, index),
		                 (const struct asked *)(void *)asked->data, asked->len);
}

static enum event_order natural_order(const struct instruction *own)
{
	switch (own->collective) {
	case COLLECTIVE_BCAST:
		return own->rank == own->root ? ORDER_NONE : ORDER_ROOT;
	case COLLECTIVE_REDUCE:
		return own->rank == own->root ? ORDER_ALL : ORDER_NONE;
	case COLLECTIVE_SCAN:
		return ORDER_LOWER;
	case COLLECTIVE_BARRIER:
		break;
	}
	return ORDER_ALL;
}

static int members_of(const struct world *world, const struct instruction *own)
{
	int members = 0;

	for (int rank = 0; rank < world->program->ranks; rank++)
		members += world->program->member[own->comm][rank];
	return members;
}

/* Whom its rank waits for, as far as that is decided. */
static enum event_order order_of(const struct world *world, int index)
{
	const struct instruction *own = world_at(world, index);

	if (members_of(world, own) > 1
	    && (world->program->collectives == PROGRAM_SYNC
	        || world->decided[index] == ANSWER_LATE))
		return ORDER_ALL;
	return natural_order(own);
}

static void arrive(struct world *world, int index)
{
	const struct instruction *instruction = world_at(world, index);
	struct event event = {.kind = EVENT_ARRIVE,
	                      .op.id = world_id_of(world, index),
	                      .order = order_of(world, index),
	                      .collective = (guint64)instruction->instance,
	                      .root = instruction->root,
	                      .members = members_of(world, instruction)};

	for (int rank = 0; rank < world->program->ranks; rank++) {
		event.position += rank < instruction->rank
		                  && world->program->member[instruction->comm][rank];
	}
	world_note(world, event);
}

static void start(struct world *world, int index)
{
	const struct instruction *instruction = world_at(world, index);

	if (instruction->kind != INSTRUCTION_BRANCH)
		world->call[index] = ++world->calls[instruction->rank];
	world->states[index] = POSTED;
	switch (instruction->kind) {
	case INSTRUCTION_SEND:
	case INSTRUCTION_RECEIVE:
	case INSTRUCTION_RECEIVE_PROBED:
	case INSTRUCTION_PROBE:
	case INSTRUCTION_MPROBE:
	case INSTRUCTION_IPROBE:
		post(world, index);
		break;
	case INSTRUCTION_COLLECTIVE:
		arrive(world, index);
		break;
	case INSTRUCTION_TEST:
	case INSTRUCTION_TESTALL:
	case INSTRUCTION_TESTANY:
	case INSTRUCTION_TESTSOME:
	case INSTRUCTION_WAITANY:
	case INSTRUCTION_WAITSOME:
		ask(world, index);
		break;
	case INSTRUCTION_CANCEL:
		if (world_is_active(world, instruction->of))
			world_note(world,
			           (struct event){.kind = EVENT_RECALL,
			                          .op.id = world_id_of(world, instruction->of)});
		break;
	case INSTRUCTION_MRECV:
	case INSTRUCTION_WAIT:
	case INSTRUCTION_WAITALL:
	case INSTRUCTION_BRANCH:
		break;
	}
}

static bool collective_complete(const struct world *world, int index)
{
	const struct instruction *own = world_at(world, index);
	enum event_order order = order_of(world, index);

	for (int i = 0; i < world->program->count; i++) {
		const struct instruction *other = world_at(world, i);

		if (other->kind != INSTRUCTION_COLLECTIVE || other->instance != own->instance
		    || world->states[i] == POSTED || order == ORDER_NONE)
			continue;
		if (order == ORDER_ALL || (order == ORDER_ROOT && other->rank == own->root)
		    || (order == ORDER_LOWER && other->rank < own->rank))
			return false;
	}
	return true;
}

bool world_is_decided_for(const struct world *world, int index)
{
	const struct instruction *instruction = world_at(world, index);

	if (instruction->kind == INSTRUCTION_COLLECTIVE)
		return world->program->collectives == PROGRAM_PER_CALL
		       && natural_order(instruction) != ORDER_ALL
		       && members_of(world, instruction) > 1;
	return world->buffering == PROGRAM_PER_SEND && instruction->kind == INSTRUCTION_SEND
	       && !instruction->synchronous;
}

bool world_all_have_come(const struct world *world, int index)
{
	for (int i = 0; i < world->program->count; i++)
		if (world_at(world, i)->kind == INSTRUCTION_COLLECTIVE
		    && world_at(world, i)->instance == world_at(world, index)->instance
		    && world->states[i] != POSTED)
			return false;
	return true;
}

bool world_is_complete(const struct world *world, int index)
{
	const struct instruction *instruction = world_at(world, index);

	if (world_is_decided_for(world, index) && world->decided[index] == 0)
		return false;
	if (instruction->kind == INSTRUCTION_COLLECTIVE)
		return collective_complete(world, index);
	if (world->decided[index] == ANSWER_EARLY)
		return true;
	return world->states[index] >= MATCHED
	       || (instruction->kind == INSTRUCTION_SEND && world->buffering == PROGRAM_INFINITE
	           && !instruction->synchronous);
}

static void learn(struct world *world, int index)
{
	const struct instruction *instruction = world_at(world, index);
	struct event event = {.kind = EVENT_COMPLETE, .op.id = world_id_of(world, index)};

	if (world->learnt[index])
		return;
	world->learnt[index] = true;
	if (instruction->kind == INSTRUCTION_COLLECTIVE) {
		event.kind = EVENT_LEAVE;
		event.order = order_of(world, index);
		event.collective = (guint64)instruction->instance;
	}
	world_note(world, event);
}

void world_report(struct world *world, int index, int reporter)
{
	learn(world, index);
	world->reporters[index] = (guint8)(reporter + 1);
}

static bool finish_blocking(struct world *world, int index)
{
	if (!world_is_complete(world, index))
		return false;
	learn(world, index);
	return true;
}

static bool wait_for_one(struct world *world, int index, int wait)
{
	if (!world_is_active(world, index))
		return true;
	if (!world_is_complete(world, index))
		return false;
	world_report(world, index, wait);
	return true;
}

static bool wait_for_all(struct world *world, int index)
{
	int first = world->program->first[world_at(world, index)->rank];

	for (int i = first; i < index; i++)
		if (world_is_active(world, i) && !world_is_complete(world, i))
			return false;
	for (int i = first; i < index; i++)
		wait_for_one(world, i, index);
	return true;
}

/* A question about nothing is answered; others wait for a choice. */
static bool finish_question(struct world *world, int index)
{
	g_autoptr(GArray) asked = NULL;

	if (world->states[index] != POSTED)
		return true;
	asked = world_asked(world, index);
	if (asked->len == 0)
		world->states[index] = MATCHED;
	return asked->len == 0;
}

/* Whatever the rank does now comes after the receive was matched, or cancelled. */
static bool finish_cancel(struct world *world, int receive)
{
	if (!world_is_active(world, receive))
		return true;
	if (world->states[receive] == POSTED)
		return false;
	learn(world, receive);
	return true;
}

static bool finish(struct world *world, int index)
{
	const struct instruction *instruction = world_at(world, index);

	switch (instruction->kind) {
	case INSTRUCTION_SEND:
	case INSTRUCTION_RECEIVE:
	case INSTRUCTION_COLLECTIVE:
		return instruction->nonblocking || finish_blocking(world, index);
	case INSTRUCTION_RECEIVE_PROBED:
	case INSTRUCTION_PROBE:
	case INSTRUCTION_MPROBE:
	case INSTRUCTION_IPROBE:
		return finish_blocking(world, index);
	case INSTRUCTION_WAIT:
		return wait_for_one(world, instruction->of, index);
	case INSTRUCTION_WAITALL:
		return wait_for_all(world, index);
	case INSTRUCTION_CANCEL:
		return finish_cancel(world, instruction->of);
	case INSTRUCTION_TEST:
	case INSTRUCTION_TESTALL:
	case INSTRUCTION_TESTANY:
	case INSTRUCTION_TESTSOME:
	case INSTRUCTION_WAITANY:
	case INSTRUCTION_WAITSOME:
		return finish_question(world, index);
	case INSTRUCTION_MRECV:
	case INSTRUCTION_BRANCH:
		break;
	}
	return true;
}

static bool branch_taken(const struct world *world, const struct instruction *branch)
{
	guint8 taken = world->states[branch->of];

	if (is_question(world_at(world, branch->of)->kind))
		return taken == MATCHED
		       && (branch->request < 0
		           || world->reporters[branch->request] == branch->of + 1);
	return taken >= MATCHED && taken < EARLY
	       && branch_holds(branch, world_at(world, taken - MATCHED));
}

static bool step_rank(struct world *world, int rank)
{
	int index = world->place[rank];
	const struct instruction *instruction = world_at(world, index);
	bool moved = false;

	if (index == world->program->first[rank + 1])
		return false;
	if (world->states[index] == ABSENT) {
		start(world, index);
		moved = true;
	}
	if (!finish(world, index))
		return moved;
	world->place[rank]++;
	world->steps++;
	if (instruction->kind == INSTRUCTION_BRANCH && !branch_taken(world, instruction))
		world->place[rank] = (guint8)(world->place[rank] + instruction->skip);
	return true;
}

void world_run(struct world *world)
{
	int ranks = world->program->ranks;
	int idle = 0;
	int rank = 0;

	while (idle < ranks) {
		if (idle == 0)
			rank = g_rand_int_range(world->random, 0, ranks);
		else
			rank = (rank + 1) % ranks;
		idle = step_rank(world, rank) ? 0 : idle + 1;
	}
}
