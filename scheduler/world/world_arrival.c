#include "world_arrival.h"

#include "mpi_calls.h"
#include "world_internal.h"

/* Whether a rank may be deferred in a call such as the one the rank is in. */
static bool may_defer(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return world->options.arrives_early && !world->windows
	       && mpi_call_is_deferrable(rank->line->function);
}

static bool is_underway(const struct live *live)
{
	return live->kind == WIRE_RECEIVE && live->nonblocking && !live->arrived
	       && !live->cancelled;
}

static bool is_unmatched(const struct live *live)
{
	return is_underway(live) && !live->matched;
}

/* The number of such receives that the rank has started, and for which its pending call does not
 * wait. */
static guint count_pending(const struct world *world, int number,
                           bool (*is_such)(const struct live *live))
{
	const struct rank *rank = &world->ranks[number];
	guint pending = 0;

	for (guint i = 0; i < rank->live->len; i++)
		pending += is_such(&g_array_index(rank->live, struct live, i));
	if (rank->line->wait != WIRE_WAIT_ALL)
		return pending;
	for (guint i = 0; pending > 0 && i < rank->line->waited->len; i++) {
		const struct live *live = world_find_live(
			world, number, g_array_index(rank->line->waited, struct wire_name, i));

		pending -= live && is_such(live);
	}
	return pending;
}

/* With threads, data arrives with completion: no rank is deferred for it. If all is matched, no
 * rest could bring more. */
static bool brings_pending(const struct world *world, int number)
{
	return !world->ranks[number].threads && count_pending(world, number, is_unmatched) > 0;
}

/* Members of a collective that the library carries out must go together, with threads or
 * without. */
static bool is_bound_to_pending(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < rank->line->waited->len; i++) {
		struct wire_name name = g_array_index(rank->line->waited, struct wire_name, i);
		const struct live *live = world_find_live(world, number, name);
		const struct op_id *calls;
		int count;

		if (!live || live->kind != WIRE_COLLECTIVE || live->nonblocking)
			continue;
		calls = collectives_calls(world->collectives, live->instance, &count);
		for (int member = 0; member < count; member++)
			if (calls[member].call != 0 && brings_pending(world, calls[member].rank))
				return true;
	}
	return false;
}

/* A rank goes on with the data of its receives yet to come, although it could be there. */
static void note_late_data(struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	if (world->limits & LIMIT_BIT(LIMIT_DATA_LATE) || !(world->windows || rank->threads)
	    || !world->options.arrives_early || !mpi_call_is_deferrable(rank->line->function))
		return;
	if (count_pending(world, number, is_underway) > 0)
		world_limit(world, LIMIT_DATA_LATE);
}

bool world_would_defer(const struct world *world, int number)
{
	return !world->lets_go && may_defer(world, number)
	       && (brings_pending(world, number) || is_bound_to_pending(world, number));
}

bool world_defers(struct world *world, int number)
{
	const bool defers = world_would_defer(world, number);

	note_late_data(world, number);
	world->deferred |= defers;
	return defers;
}

bool world_let_go(struct world *world)
{
	int running = world->running;

	if (!world->deferred)
		return false;
	world_note_decision(world, NULL);
	world->deferred = false;
	world->lets_go = true;
	for (int number = 0; number < world->options.ranks; number++)
		world_try_release(world, number);
	world->lets_go = false;
	return world->running > running;
}

bool world_release_deferred(struct world *world)
{
	bool any;

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_LETS_GO});
	any = world_let_go(world);
	if (any)
		world_limit(world, LIMIT_DATA_ARRIVAL);
	return world_tell_answer(world, any);
}

static void note_arrival(struct world *world, int number, const struct live *live)
{
	struct cut_arrival arrival = {number, world->ranks[number].line->call,
	                              world_op_id(number, live->name)};

	g_array_append_val(world->cut_notes.arrivals, arrival);
}

void world_bring_data(struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	if (rank->threads || !may_defer(world, number))
		return;
	for (guint i = 0; i < rank->live->len; i++) {
		struct live *live = &g_array_index(rank->live, struct live, i);
		struct wire_bind bind = {.name = live->name, .source = WIRE_ARRIVES};

		if (!is_underway(live) || !live->matched)
			continue;
		live->arrived = true;
		note_arrival(world, number, live);
		world_bind(world, number, &bind);
	}
}
