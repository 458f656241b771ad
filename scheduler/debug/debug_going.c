/* Where it goes next, and which snapshots are of use for that. */
#include "debug_internal.h"

void debugger_go_to(struct debugger *debugger, const struct position *position)
{
	position_free(debugger->target);
	debugger->target = position_copy(position);
	g_array_set_size(debugger->decided, 0);
	debugger->finishes = false;
	debugger->exact = true;
	debugger->begins = debugger->goes_on = true;
	debugger->leaves = debugger->state == DEBUG_CHOICE || debugger->state == DEBUG_RUNNING;
	debugger->coming = (struct debug_hit){0};
	g_clear_pointer(&debugger->origin, stop_free);
}

void debugger_go(struct debugger *debugger, const GArray *choices)
{
	struct position *position = session_position(debugger->session, choices,
	                                             debugger->buffering);

	debugger_go_to(debugger, position);
	position_free(position);
}

const GArray *debugger_target(const struct debugger *debugger)
{
	return position_path(debugger->target)->choices;
}

bool debugger_travels(const struct debugger *debugger)
{
	return position_has_cut(debugger->target);
}

struct position *debugger_here(const struct debugger *debugger, bool cut)
{
	const struct world *world = execution_world(debugger->execution);
	struct position *position = session_position(debugger->session, world_choices(world),
	                                             debugger->buffering);

	if (cut)
		holds_cut(world, position);
	return position;
}

/* No rank has made more calls than it has at the stop. */
static bool is_below(const struct world *world, const struct stop *stop)
{
	for (int rank = 0; rank < world_options(world)->ranks; rank++)
		if (world_calls(world, rank) > position_calls(stop->position, rank))
			return false;
	return true;
}

/* A snapshot serves any stop that has its choices, and lies behind it. */
bool stop_needs(const struct stop *stop, const struct world *world)
{
	const GArray *made = world_choices(world);

	for (guint i = 0; i < made->len; i++) {
		const struct choice *choice = &g_array_index(made, struct choice, i);
		const struct choice *there = choices_find(stop_choices(stop), &choice->point);

		if (!there || !choice_equal(there, choice))
			return false;
	}
	return !position_has_cut(stop->position) || is_below(world, stop);
}

bool debugger_needs(const struct world *world, void *user)
{
	const struct debugger *debugger = user;
	const struct stops *stops = debugger->stops;

	for (int away = -(int)stops_before(stops); away <= (int)stops_behind(stops); away++)
		if (stops_at(stops, away) && stop_needs(stops_at(stops, away), world))
			return true;
	return debugger_needs_snapshot(debugger, world);
}
