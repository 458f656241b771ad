#include "explorer/explorer.h"
#include "world_arrival.h"
#include "world_internal.h"
#include "world_rounds.h"

bool world_at_rest(const struct world *world)
{
	return world->running == 0;
}

static bool answer_ready(struct world *world, int number, bool is_first)
{
	const struct rank *rank = &world->ranks[number];
	g_autoptr(GArray) indices = NULL;
	guint32 one;

	if (rank->line->phase != PHASE_BLOCKED || rank->is_looked_at
	    || rank->line->wait == WIRE_WAIT_ALL || rank->line->wait == WIRE_WAIT_TAKEN
	    || rank->line->wait == WIRE_TEST_ALL || rank->line->wait == WIRE_CANCEL
	    || rank->line->question != QUESTION_NONE)
		return false;
	indices = world_completable_indices(world, number);
	if (indices->len == 0)
		return false;
	if (indices->len > 1)
		world_limit(world, LIMIT_FOREIGN_REQUESTS);
	if (is_first)
		world_note_decision(world, NULL);
	world_note_rest(world, number);
	if (rank->line->wait == WIRE_WAIT_ANY || rank->line->wait == WIRE_TEST_ANY) {
		one = world_oldest(world_names(rank), (const guint32 *)(void *)indices->data,
		                   indices->len);
		world_release(world, number, &one, 1);
	} else {
		world_release(world, number, (guint32 *)(void *)indices->data, indices->len);
	}
	return true;
}

bool world_answer_ready(struct world *world)
{
	bool answered = false;

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_READY});
	if (!world_may_decide(world))
		return world_tell_answer(world, false);
	if (world_let_go(world))
		return world_tell_answer(world, true);
	for (int number = 0; number < world->options.ranks; number++) {
		for (guint i = 0; i < world_lines(world, number); i++) {
			world_focus(world, number, i);
			answered |= answer_ready(world, number, !answered);
		}
	}
	if (answered)
		world_note_round(world);
	else
		answered = world_rounds_note_rest(world);
	return world_tell_answer(world, answered);
}

void world_withdraw_probes(struct world *world, int number, bool told)
{
	struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < rank->line->waited->len; i++) {
		struct wire_name name = g_array_index(rank->line->waited, struct wire_name, i);
		struct live *live = world_find_live(world, number, name);
		struct event event = {.kind = EVENT_CANCEL, .op.id = world_op_id(number, name)};

		if (!live || (live->kind != WIRE_PROBE && live->kind != WIRE_MPROBE))
			continue;
		matcher_withdraw(world->matcher, event.op.id);
		if (told)
			world_append_event(world, &event);
		g_array_remove_index(rank->live,
		                     (guint)(live - &g_array_index(rank->live, struct live, 0)));
	}
}

/* MPI_Cancel returns. The request exists until it is waited for: nothing is observed here. */
static void finish_cancel(struct world *world, int number, bool withdrawn)
{
	struct rank *rank = &world->ranks[number];
	guint32 done = 0;

	g_array_set_size(rank->line->waited, 0);
	rank->line->phase = PHASE_RUNNING;
	rank->line->together.order = ORDER_NONE;
	world->running++;
	world_wake(world, number);
	world_bring_data(world, number);
	world_go(world, number,
	         &(struct wire_go){
			 .call = rank->line->call, .count = withdrawn ? 1 : 0, .done = &done});
}

/* MPI_Cancel when nothing else can move: a receive that is still unmatched is withdrawn. A send
 * cannot be taken back from MPI. The standard requires its completion to be local from here on (MPI
 * 3.1, section 3.8.4), so it waits for no other rank any more. */
static void withdraw_cancelled(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];
	struct wire_name name = g_array_index(rank->line->waited, struct wire_name, 0);
	struct live *live = world_find_live(world, number, name);
	struct event event = {.kind = EVENT_CANCEL,
	                      .op.id = world_op_id(number, name),
	                      .other = {number, rank->line->call, 0}};
	bool withdrawn = live && live->kind != WIRE_SEND
	                 && matcher_withdraw(world->matcher, event.op.id);

	/* Another thread may have completed it meanwhile. */
	if (live && live->kind == WIRE_SEND) {
		struct message *message = g_hash_table_lookup(world->messages, &event.op.id);

		world_limit(world, LIMIT_SENDS_CANCELLED);
		live->waits_for_match = false;
		if (message)
			message->recalled = true;
	}
	if (withdrawn) {
		live->cancelled = true;
		world_append_event(world, &event);
	}
	finish_cancel(world, number, withdrawn);
}

void world_withdraw_receive(struct world *world, int number, struct live *live)
{
	matcher_withdraw(world->matcher, world_op_id(number, live->name));
	live->cancelled = true;
	finish_cancel(world, number, true);
}

/* Whether a choice of the plan still answers the rank's poll. */
static bool is_planned(const struct world *world, int number, const GArray *plan)
{
	const struct rank *rank = &world->ranks[number];

	for (guint j = 0; j < plan->len; j++) {
		struct op_id point = point_operation(&g_array_index(plan, struct choice, j).point,
		                                     world->options.ranks);

		if (rank->line->question != QUESTION_NONE
		    && op_id_equal(point, world_question_id(world, number)))
			return true;
		for (guint i = 0; i < rank->line->waited->len; i++) {
			struct wire_name name = g_array_index(rank->line->waited, struct wire_name,
			                                      i);

			if (op_id_equal(point, world_op_id(number, name)))
				return true;
		}
	}
	return false;
}

static bool answer_poll(struct world *world, int number, const GArray *plan, bool is_first)
{
	struct rank *rank = &world->ranks[number];

	if (world_repeats(world, number)) {
		if (is_first)
			world_note_decision(world, NULL);
		world_note_rest(world, number);
		rank->immediate.is_held = false;
		world_try_release(world, number);
		return true;
	}
	if (rank->line->phase != PHASE_BLOCKED || rank->is_looked_at
	    || world_may_say_no(world, number) || world_must_say_yes(world, number)
	    || is_planned(world, number, plan))
		return false;
	if (rank->line->wait != WIRE_CANCEL && !world_is_poll(rank->line->wait))
		return false;
	if (is_first)
		world_note_decision(world, NULL);
	world_note_rest(world, number);
	if (rank->line->wait == WIRE_CANCEL) {
		withdraw_cancelled(world, number);
	} else {
		world_withdraw_probes(world, number, true);
		world_release(world, number, &(guint32){0}, 0);
	}
	return true;
}

/* A rank that sleeps until a word of a window changes makes its operation once more: something else
 * may have changed it. */
static bool pass_spin(struct world *world, bool is_first)
{
	int number = world_pass_spin(world);
	struct live *live;

	if (number < 0)
		return false;
	live = world_find_live(world, number,
	                       (struct wire_name){world->ranks[number].line->call, 0});
	if (is_first)
		world_note_decision(world, NULL);
	world_note_rest(world, number);
	live->matched = true;
	world_try_release(world, number);
	return true;
}

bool world_answer_polls(struct world *world, const GArray *plan)
{
	bool answered = false, polled;

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_POLLS, .choices = plan});
	if (!world_may_decide(world))
		return world_tell_answer(world, false);
	for (int number = 0; number < world->options.ranks; number++) {
		for (guint i = 0; i < world_lines(world, number); i++) {
			world_focus(world, number, i);
			answered |= answer_poll(world, number, plan, !answered);
		}
	}
	polled = answered;
	answered |= pass_spin(world, !answered);
	if (answered) {
		world_note_round(world);
		world->idle.rounds++;
		world->idle.spins += !polled;
		world_settle(world);
	}
	return world_tell_answer(world, answered);
}

const struct world_idle *world_idle(const struct world *world)
{
	return &world->idle;
}

bool world_polls(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return !rank->threads && rank->line->phase == PHASE_BLOCKED
	       && (world_is_poll(rank->line->wait) || rank->immediate.is_held);
}

bool world_repeats(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return rank->immediate.is_held && rank->line->phase == PHASE_BLOCKED;
}

bool world_has_windows(const struct world *world)
{
	return world->windows;
}

bool world_collectives_matter(const struct world *world)
{
	return world->collectives_matter;
}

void world_limit(struct world *world, enum limit limit)
{
	world->limits |= LIMIT_BIT(limit);
}

void world_note_unordered(struct world *world, gint32 which)
{
	if (which == WIRE_UNORDERED_NONE || which == world->unordered)
		return;
	if (which == WIRE_UNORDERED_ANY || world->unordered != WIRE_UNORDERED_NONE)
		world_limit(world, LIMIT_ATOMICS);
	world->unordered = which;
}

guint64 world_limits(const struct world *world)
{
	const struct rma_uncertain *uncertain = world_finds_invalid(world);

	return world->limits | (windows_mix(world->locks) ? LIMIT_BIT(LIMIT_ATOMICS) : 0)
	       | (windows_early(world->locks) ? LIMIT_BIT(LIMIT_LOCKS) : 0)
	       | (world_has_unseen(world) ? LIMIT_BIT(LIMIT_WINDOW_MEMORY) : 0)
	       | (world_has_seen(world) ? LIMIT_BIT(LIMIT_WINDOW_PARTLY) : 0)
	       | (uncertain->learnt > 0 ? LIMIT_BIT(LIMIT_WINDOW_ASSUMED) : 0)
	       | (uncertain->unknown > 0 ? LIMIT_BIT(LIMIT_WINDOW_ACCESSES) : 0);
}
