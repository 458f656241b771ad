#include "fake_world.h"

#include <string.h>

#include "../../scheduler/matcher.h"
#include "brute_force.h"

enum { ABSENT = 0, POSTED = 1, MATCHED = 2 };

struct world {
	const struct random_program *program;
	bool infinite;
	GRand *random; /* shared by all worlds of an exploration */
	struct matcher *matcher;
	struct trace trace;
	GArray *choices; /* of struct choice: those made */
	guint8 place[PROGRAM_MAX_RANKS];
	guint32 calls[PROGRAM_MAX_RANKS];
	guint8 *states; /* [instruction], as in an outcome */
	guint32 *call;  /* [instruction]: its number, or 0 */
	bool *learnt;   /* [instruction]: its rank knows that it is complete */
	guint64 steps;
};

static struct world *world_new(const struct random_program *program, bool infinite, GRand *random)
{
	struct world *world = g_new0(struct world, 1);
	gsize count = (gsize)program->count;

	world->program = program;
	world->infinite = infinite;
	world->random = random;
	world->matcher = matcher_new(program->ranks);
	world->choices = g_array_new(FALSE, FALSE, sizeof(struct choice));
	world->states = g_new0(guint8, count);
	world->call = g_new0(guint32, count);
	world->learnt = g_new0(bool, count);
	for (int rank = 0; rank < program->ranks; rank++) {
		world->place[rank] = (guint8)program->first[rank];
		world->calls[rank] = PROGRAM_FIRST_CALL - 1;
	}
	trace_init(&world->trace);
	return world;
}

static struct world *world_copy(const struct world *from)
{
	gsize count = (gsize)from->program->count;
	struct world *world = g_memdup2(from, sizeof *from);

	world->matcher = matcher_copy(from->matcher);
	trace_init(&world->trace);
	trace_copy(&world->trace, &from->trace);
	world->choices = g_array_copy(from->choices);
	world->states = g_memdup2(from->states, count * sizeof *from->states);
	world->call = g_memdup2(from->call, count * sizeof *from->call);
	world->learnt = g_memdup2(from->learnt, count * sizeof *from->learnt);
	return world;
}

static void world_free(void *pointer)
{
	struct world *world = pointer;

	matcher_free(world->matcher);
	trace_release(&world->trace);
	g_array_free(world->choices, TRUE);
	g_free(world->states);
	g_free(world->call);
	g_free(world->learnt);
	g_free(world);
}

static const struct instruction *at(const struct world *world, int index)
{
	return &world->program->instructions[index];
}

static struct op_id id_of(const struct world *world, int index)
{
	return (struct op_id){at(world, index)->rank, world->call[index], 0};
}

static int index_of(const struct world *world, struct op_id id)
{
	for (int i = world->program->first[id.rank]; i < world->program->first[id.rank + 1]; i++)
		if (world->call[i] == id.call)
			return i;
	g_assert_not_reached();
}

static void note(struct world *world, struct event event)
{
	trace_append(&world->trace, &event);
}

static void note_match(struct world *world, struct match match, bool chosen)
{
	int receive = index_of(world, match.receive);
	int send = index_of(world, match.send);

	note(world, (struct event){.kind = EVENT_MATCH,
	                           .chosen = chosen,
	                           .op.id = match.receive,
	                           .other = match.send});
	world->states[receive] = (guint8)(MATCHED + send);
	if (at(world, receive)->kind != INSTRUCTION_PROBE)
		world->states[send] = (guint8)(MATCHED + receive);
}

static void settle(struct world *world)
{
	g_autoptr(GArray) matches = g_array_new(FALSE, FALSE, sizeof(struct match));

	matcher_settle(world->matcher, matches);
	for (guint i = 0; i < matches->len; i++)
		note_match(world, g_array_index(matches, struct match, i), false);
}

static void post(struct world *world, int index)
{
	const struct instruction *instruction = at(world, index);
	struct operation op = {.id = id_of(world, index),
	                       .kind = OPERATION_RECEIVE,
	                       .comm = (guint64)instruction->comm,
	                       .peer = instruction->peer,
	                       .tag = instruction->tag};

	if (instruction->kind == INSTRUCTION_SEND) {
		op.kind = OPERATION_SEND;
		op.waits_for_match = instruction->synchronous || !world->infinite;
	} else if (instruction->kind == INSTRUCTION_PROBE) {
		op.kind = OPERATION_PROBE;
	} else if (instruction->kind == INSTRUCTION_MPROBE) {
		op.kind = OPERATION_MPROBE;
	} else if (instruction->kind == INSTRUCTION_RECEIVE_PROBED) {
		const struct instruction *probed = at(world,
		                                      world->states[instruction->of] - MATCHED);

		op.peer = probed->rank;
		op.tag = probed->tag;
	}
	note(world, (struct event){.kind = op.kind == OPERATION_SEND ? EVENT_SEND : EVENT_RECEIVE,
	                           .op = op});
	matcher_post(world->matcher, &op);
	settle(world);
}

static void start(struct world *world, int index)
{
	const struct instruction *instruction = at(world, index);

	if (instruction->kind != INSTRUCTION_BRANCH)
		world->call[index] = ++world->calls[instruction->rank];
	world->states[index] = POSTED;
	switch (instruction->kind) {
	case INSTRUCTION_SEND:
	case INSTRUCTION_RECEIVE:
	case INSTRUCTION_RECEIVE_PROBED:
	case INSTRUCTION_PROBE:
	case INSTRUCTION_MPROBE:
		post(world, index);
		break;
	case INSTRUCTION_COLLECTIVE:
		note(world, (struct event){.kind = EVENT_ARRIVE,
		                           .op.id = id_of(world, index),
		                           .collective = (guint64)instruction->instance,
		                           .root = instruction->root,
		                           .position = instruction->rank});
		break;
	case INSTRUCTION_MRECV:
	case INSTRUCTION_WAIT:
	case INSTRUCTION_WAITALL:
	case INSTRUCTION_BRANCH:
		break;
	}
}

static enum event_order order_of(const struct instruction *own)
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

static bool collective_complete(const struct world *world, const struct instruction *own)
{
	enum event_order order = order_of(own);

	for (int i = 0; i < world->program->count; i++) {
		const struct instruction *other = at(world, i);

		if (other->kind != INSTRUCTION_COLLECTIVE || other->instance != own->instance
		    || world->states[i] == POSTED || order == ORDER_NONE)
			continue;
		if (order == ORDER_ALL || (order == ORDER_ROOT && other->rank == own->root)
		    || (order == ORDER_LOWER && other->rank < own->rank))
			return false;
	}
	return true;
}

static bool is_complete(const struct world *world, int index)
{
	const struct instruction *instruction = at(world, index);

	if (instruction->kind == INSTRUCTION_COLLECTIVE)
		return collective_complete(world, instruction);
	return world->states[index] >= MATCHED
	       || (instruction->kind == INSTRUCTION_SEND && world->infinite
	           && !instruction->synchronous);
}

static void learn(struct world *world, int index)
{
	const struct instruction *instruction = at(world, index);
	struct event event = {.kind = EVENT_COMPLETE, .op.id = id_of(world, index)};

	if (world->learnt[index])
		return;
	world->learnt[index] = true;
	if (instruction->kind == INSTRUCTION_COLLECTIVE) {
		event.kind = EVENT_LEAVE;
		event.order = order_of(instruction);
		event.collective = (guint64)instruction->instance;
	}
	note(world, event);
}

static bool wait_for_one(struct world *world, int index)
{
	if (world->states[index] == ABSENT)
		return true;
	if (!is_complete(world, index))
		return false;
	learn(world, index);
	return true;
}

static bool wait_for_all(struct world *world, int index)
{
	int first = world->program->first[at(world, index)->rank];

	for (int i = first; i < index; i++)
		if (at(world, i)->nonblocking && world->states[i] != ABSENT
		    && !is_complete(world, i))
			return false;
	for (int i = first; i < index; i++)
		if (at(world, i)->nonblocking)
			wait_for_one(world, i);
	return true;
}

static bool finish(struct world *world, int index)
{
	const struct instruction *instruction = at(world, index);

	switch (instruction->kind) {
	case INSTRUCTION_SEND:
	case INSTRUCTION_RECEIVE:
	case INSTRUCTION_COLLECTIVE:
		return instruction->nonblocking || wait_for_one(world, index);
	case INSTRUCTION_RECEIVE_PROBED:
	case INSTRUCTION_PROBE:
	case INSTRUCTION_MPROBE:
		return wait_for_one(world, index);
	case INSTRUCTION_WAIT:
		return wait_for_one(world, instruction->of);
	case INSTRUCTION_WAITALL:
		return wait_for_all(world, index);
	case INSTRUCTION_MRECV:
	case INSTRUCTION_BRANCH:
		break;
	}
	return true;
}

static bool step_rank(struct world *world, int rank)
{
	int index = world->place[rank];
	const struct instruction *instruction = at(world, index);
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
	if (instruction->kind == INSTRUCTION_BRANCH) {
		int taken = world->states[instruction->of] - MATCHED;

		if (taken < 0 || !branch_holds(instruction, at(world, taken)))
			world->place[rank] = (guint8)(world->place[rank] + instruction->skip);
	}
	return true;
}

/* Deterministic progress, ranks in any order, until nothing moves. */
static void run(struct world *world)
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

static void choose(struct world *world, const struct choice *choice)
{
	struct match match = {choice->point, choice->taken};

	g_assert_true(matcher_allows(world->matcher, match.receive, &match.send));
	matcher_match(world->matcher, match.receive, match.send);
	g_array_append_vals(world->choices, choice, 1);
	note_match(world, match, true);
	settle(world);
}

static bool made(const GArray *choices, const struct choice *choice)
{
	for (guint i = 0; i < choices->len; i++) {
		const struct choice *one = &g_array_index(choices, struct choice, i);

		if (op_id_equal(one->point, choice->point)
		    && op_id_equal(one->taken, choice->taken))
			return true;
	}
	return false;
}

static bool contains(const GArray *all, const GArray *some)
{
	for (guint i = 0; i < some->len; i++)
		if (!made(all, &g_array_index(some, struct choice, i)))
			return false;
	return true;
}

/* Makes the choices of the plan as the rules allow them; all that can be made at one rest, or one
 * at a time. Returns false if some could not be made. */
static bool follow(struct world *world, const GArray *plan)
{
	bool one_at_a_time = g_rand_boolean(world->random);
	bool moved = true;

	run(world);
	while (moved) {
		moved = false;
		for (guint i = 0; i < plan->len; i++) {
			const struct choice *choice = &g_array_index(plan, struct choice, i);
			struct op_id send = choice->taken;

			if (made(world->choices, choice)
			    || !matcher_allows(world->matcher, choice->point, &send))
				continue;
			choose(world, choice);
			moved = true;
			if (one_at_a_time)
				break;
		}
		run(world);
	}
	return world->choices->len == plan->len;
}

struct runner {
	const struct random_program *program;
	const struct exploration_options *options;
	struct explorer *explorer;
	GRand *random;
	GPtrArray *snapshots; /* of struct world */
	struct exploration *result;
};

/* The world that has made the most of the plan already. */
static struct world *begin(struct runner *runner, const GArray *plan)
{
	const struct world *best = NULL;

	for (guint i = 0; i < runner->snapshots->len; i++) {
		const struct world *world = g_ptr_array_index(runner->snapshots, i);

		if (contains(plan, world->choices)
		    && (!best || world->choices->len > best->choices->len))
			best = world;
	}
	return best ? world_copy(best)
	            : world_new(runner->program, runner->options->infinite_buffering,
	                        runner->random);
}

static void forget_snapshots(struct runner *runner)
{
	for (guint i = runner->snapshots->len; i > 0; i--) {
		const struct world *world = g_ptr_array_index(runner->snapshots, i - 1);

		if (!explorer_needs(runner->explorer, world->choices))
			g_ptr_array_remove_index_fast(runner->snapshots, i - 1);
	}
}

static void run_plan(struct runner *runner, const GArray *plan)
{
	struct world *world = begin(runner, plan);
	guint64 steps_before = world->steps;
	enum explorer_step step = EXPLORER_TAKE;
	bool followed = follow(world, plan);
	struct choice choice;

	if (!followed) {
		explorer_lost(runner->explorer);
		runner->result->lost++;
	}
	while (followed && step == EXPLORER_TAKE) {
		GArray *open = matcher_open_choices(world->matcher);

		step = explorer_rest(runner->explorer, &world->trace, open, &choice);
		if (step == EXPLORER_TAKE) {
			if (runner->options->snapshots && g_rand_boolean(runner->random))
				g_ptr_array_add(runner->snapshots, world_copy(world));
			choose(world, &choice);
			run(world);
		}
		open_choices_free(open);
	}
	if (step == EXPLORER_DONE) {
		GBytes *outcome = outcome_new(runner->program, world->place, world->states);

		if (!g_hash_table_add(runner->result->outcomes, outcome))
			runner->result->repeated++;
	} else if (followed) {
		runner->result->dropped++;
	}
	runner->result->steps += world->steps - steps_before;
	world_free(world);
	forget_snapshots(runner);
}

void explore(const struct random_program *program, const struct exploration_options *options,
             struct exploration *ret)
{
	struct explorer_options search = {program->ranks, options->deviations};
	struct explorer_statistics statistics;
	struct runner runner = {.program = program, .options = options, .result = ret};
	GArray *plan;

	*ret = (struct exploration){0};
	ret->outcomes = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                      (GDestroyNotify)g_bytes_unref, NULL);
	runner.explorer = explorer_new(&search);
	runner.random = g_rand_new_with_seed((guint32)options->seed);
	runner.snapshots = g_ptr_array_new_with_free_func(world_free);
	while ((plan = explorer_next(runner.explorer))) {
		ret->runs++;
		run_plan(&runner, plan);
		g_array_free(plan, TRUE);
	}
	explorer_statistics(runner.explorer, &statistics);
	g_assert_cmpuint(statistics.wasted, ==, ret->lost + ret->dropped);
	g_assert_cmpuint(statistics.waiting, ==, 0);
	ret->pruned = statistics.pruned;
	ret->events = statistics.events;
	g_ptr_array_free(runner.snapshots, TRUE);
	g_rand_free(runner.random);
	explorer_free(runner.explorer);
}

void exploration_release(struct exploration *exploration)
{
	g_clear_pointer(&exploration->outcomes, g_hash_table_destroy);
}
