#include "../explorer/explorer.h"
#include "world_internal.h"

gboolean world_at_rest(const struct world *world)
{
	return world->running == 0;
}

/* The waited operations of a blocked rank that can complete, as indices. */
static GArray *completable_indices(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	GArray *indices = g_array_new(FALSE, FALSE, sizeof(guint32));

	for (guint i = 0; i < rank->waited->len; i++) {
		struct wire_name name = g_array_index(rank->waited, struct wire_name, i);
		const struct live *live = world_find_live(world, number, name);

		if (live ? world_completable(world, number, live) : name.call != WIRE_NEVER)
			g_array_append_val(indices, i);
	}
	return indices;
}

static gboolean answer_ready(struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	g_autoptr(GArray) indices = NULL;
	guint32 one;

	if (rank->phase != PHASE_BLOCKED || rank->wait == WIRE_WAIT_ALL
	    || rank->wait == WIRE_TEST_ALL || rank->wait == WIRE_CANCEL)
		return FALSE;
	indices = completable_indices(world, number);
	if (indices->len == 0)
		return FALSE;
	world->by_rule = TRUE;
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

	for (int number = 0; number < world->options.ranks; number++) {
		for (guint i = 0; i < world_lines(world, number); i++) {
			world_focus(world, number, i);
			answered |= answer_ready(world, number);
		}
	}
	return answered;
}

/* Remembers what else the receive could have taken at this moment. */
static void note_alternatives(struct world *world, const struct choice *choice)
{
	GArray *open = world_open_choices(world);
	GArray *others = g_array_new(FALSE, FALSE, sizeof(struct op_id));

	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		if (!op_id_equal(one->point, choice->point))
			continue;
		for (guint j = 0; j < one->alternatives->len; j++) {
			struct op_id send = g_array_index(one->alternatives, struct op_id, j);

			if (!op_id_equal(send, choice->taken))
				g_array_append_val(others, send);
		}
	}
	open_choices_free(open);
	g_ptr_array_add(world->alternatives, others);
}

gboolean world_choose(struct world *world, struct choice *choice)
{
	struct match match = {choice->point, choice->taken};

	if (!matcher_allows(world->matcher, match.receive, &match.send))
		return FALSE;
	choice->taken = match.send;
	g_array_append_val(world->choices, *choice);
	note_alternatives(world, choice);
	matcher_match(world->matcher, match.receive, match.send);
	world->idle_polls = 0;
	if (match.receive.rank < world->options.ranks)
		world_on_match(world, &match, TRUE);
	else
		world_on_grant(world, &match);
	world_settle(world);
	return TRUE;
}

GArray *world_open_choices(const struct world *world)
{
	return matcher_open_choices(world->matcher);
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

/* MPI_Cancel when nothing else can move: a receive that is still unmatched is withdrawn. A send
 * cannot be taken back from MPI; as the standard wants its completion to be local from here on (MPI
 * 3.1, section 3.8.4), it waits for nobody any more. */
static void cancel(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];
	struct wire_name name = g_array_index(rank->waited, struct wire_name, 0);
	struct live *live = world_find_live(world, number, name);
	struct event event = {.kind = EVENT_CANCEL, .op.id = world_op_id(number, name)};
	guint32 done = 0;
	gboolean withdrawn = live->kind != WIRE_SEND
	                     && matcher_withdraw(world->matcher, event.op.id);

	if (live->kind == WIRE_SEND)
		live->waits_for_match = FALSE;
	if (withdrawn) {
		live->cancelled = TRUE;
		trace_append(&world->trace, &event);
	}
	/* The request lives on until it is waited for: nothing is observed here. */
	g_array_set_size(rank->waited, 0);
	rank->phase = PHASE_RUNNING;
	world->running++;
	world_wake(world, number);
	world->orders.go(world->user, number,
	                 &(struct wire_go){rank->call, withdrawn ? 1 : 0, &done});
}

/* Whether a rank's poll is for a message that it is yet to be given by the plan. */
static gboolean is_planned(const struct world *world, int number, const GArray *plan)
{
	const struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < rank->waited->len; i++) {
		struct wire_name name = g_array_index(rank->waited, struct wire_name, i);

		for (guint j = 0; j < plan->len; j++) {
			if (op_id_equal(g_array_index(plan, struct choice, j).point,
			                world_op_id(number, name)))
				return TRUE;
		}
	}
	return FALSE;
}

static gboolean answer_poll(struct world *world, int number, const GArray *plan)
{
	const struct rank *rank = &world->ranks[number];

	if (rank->phase != PHASE_BLOCKED || is_planned(world, number, plan))
		return FALSE;
	if (rank->wait == WIRE_CANCEL) {
		cancel(world, number);
		world->by_rule = TRUE;
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
		world->idle_polls++;
		world->by_rule = TRUE;
		world_settle(world);
	}
	return answered;
}

guint world_idle_polls(const struct world *world)
{
	return world->idle_polls;
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
