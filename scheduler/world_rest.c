#include "../explorer/explorer.h"
#include "world_arrival.h"
#include "world_internal.h"

gboolean world_at_rest(const struct world *world)
{
	return world->running == 0;
}

static gboolean answer_ready(struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	g_autoptr(GArray) indices = NULL;
	guint32 one;

	if (rank->phase != PHASE_BLOCKED || rank->wait == WIRE_WAIT_ALL
	    || rank->wait == WIRE_TEST_ALL || rank->wait == WIRE_CANCEL
	    || rank->question != QUESTION_NONE)
		return FALSE;
	indices = world_completable_indices(world, number);
	if (indices->len == 0)
		return FALSE;
	world->by_rule |= indices->len > 1;
	if (rank->wait == WIRE_WAIT_ANY || rank->wait == WIRE_TEST_ANY) {
		one = world_oldest(rank, (const guint32 *)(void *)indices->data, indices->len);
		world_release(world, number, &one, 1);
	} else {
		world_release(world, number, (guint32 *)(void *)indices->data, indices->len);
	}
	return TRUE;
}

gboolean world_answer_ready(struct world *world)
{
	gboolean answered = FALSE;

	if (world_release_deferred(world))
		return TRUE;
	for (int number = 0; number < world->options.ranks; number++) {
		for (guint i = 0; i < world_lines(world, number); i++) {
			world_focus(world, number, i);
			answered |= answer_ready(world, number);
		}
	}
	return answered;
}

/* What a poll started and did not find is withdrawn (Iprobe, Improbe). */
static void withdraw_probes(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < rank->waited->len; i++) {
		struct wire_name name = g_array_index(rank->waited, struct wire_name, i);
		struct live *live = world_find_live(world, number, name);
		struct event event = {.kind = EVENT_CANCEL, .op.id = world_op_id(number, name)};

		if (!live || (live->kind != WIRE_PROBE && live->kind != WIRE_MPROBE))
			continue;
		matcher_withdraw(world->matcher, event.op.id);
		trace_append(&world->trace, &event);
		g_array_remove_index(rank->live,
		                     (guint)(live - &g_array_index(rank->live, struct live, 0)));
	}
}

/* MPI_Cancel is over. The request lives on until it is waited for: nothing is observed here. */
static void go_on(struct world *world, int number, gboolean withdrawn)
{
	struct rank *rank = &world->ranks[number];
	guint32 done = 0;

	g_array_set_size(rank->waited, 0);
	rank->phase = PHASE_RUNNING;
	world->running++;
	world_wake(world, number);
	world_bring_data(world, number);
	world->orders.go(world->user, number,
	                 &(struct wire_go){rank->call, withdrawn ? 1 : 0, &done});
}

/* MPI_Cancel when nothing else can move: a receive that is still unmatched is withdrawn. A send
 * cannot be taken back from MPI; as the standard wants its completion to be local from here on (MPI
 * 3.1, section 3.8.4), it waits for nobody any more. */
static void cancel(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];
	struct wire_name name = g_array_index(rank->waited, struct wire_name, 0);
	struct live *live = world_find_live(world, number, name);
	struct event event = {.kind = EVENT_CANCEL, .op.id = world_op_id(number, name)};
	gboolean withdrawn = live && live->kind != WIRE_SEND
	                     && matcher_withdraw(world->matcher, event.op.id);

	/* Another thread may have completed it meanwhile. */
	if (live && live->kind == WIRE_SEND) {
		struct message *message = g_hash_table_lookup(world->messages, &event.op.id);

		live->waits_for_match = FALSE;
		if (message)
			message->recalled = TRUE;
	}
	if (withdrawn) {
		live->cancelled = TRUE;
		trace_append(&world->trace, &event);
	}
	go_on(world, number, withdrawn);
}

void world_withdraw_receive(struct world *world, int number, struct live *live)
{
	matcher_withdraw(world->matcher, world_op_id(number, live->name));
	live->cancelled = TRUE;
	go_on(world, number, TRUE);
}

/* Whether a rank's poll is for a message that it is yet to be given by the plan. */
static gboolean is_planned(const struct world *world, int number, const GArray *plan)
{
	const struct rank *rank = &world->ranks[number];

	for (guint j = 0; j < plan->len; j++) {
		struct op_id point = g_array_index(plan, struct choice, j).point;

		if (rank->question != QUESTION_NONE
		    && op_id_equal(point, world_question_id(world, number)))
			return TRUE;
		for (guint i = 0; i < rank->waited->len; i++) {
			struct wire_name name = g_array_index(rank->waited, struct wire_name, i);

			if (op_id_equal(point, world_op_id(number, name)))
				return TRUE;
		}
	}
	return FALSE;
}

static gboolean answer_poll(struct world *world, int number, const GArray *plan)
{
	const struct rank *rank = &world->ranks[number];

	if (rank->phase != PHASE_BLOCKED || world_may_say_no(world, number)
	    || is_planned(world, number, plan))
		return FALSE;
	if (rank->wait == WIRE_CANCEL) {
		world->by_rule = TRUE;
		cancel(world, number);
	} else if (world_is_poll(rank->wait)) {
		withdraw_probes(world, number);
		world_release(world, number, &(guint32){0}, 0);
	} else {
		return FALSE;
	}
	return TRUE;
}

gboolean world_answer_polls(struct world *world, const GArray *plan)
{
	gboolean answered = FALSE;

	for (int number = 0; number < world->options.ranks; number++) {
		for (guint i = 0; i < world_lines(world, number); i++) {
			world_focus(world, number, i);
			answered |= answer_poll(world, number, plan);
		}
	}
	if (answered) {
		world->idle.rounds++;
		world_settle(world);
	}
	return answered;
}

const struct world_idle *world_idle(const struct world *world)
{
	return &world->idle;
}

gboolean world_has_windows(const struct world *world)
{
	return world->windows;
}

gboolean world_has_locked(const struct world *world)
{
	return world->locked;
}

gboolean world_has_atomics(const struct world *world)
{
	return world->atomics;
}

gboolean world_answered_by_rule(const struct world *world)
{
	return world->by_rule;
}

gboolean world_collectives_waited(const struct world *world)
{
	return world->collectives_wait;
}

gboolean world_collectives_matter(const struct world *world)
{
	return world->collectives_matter;
}
