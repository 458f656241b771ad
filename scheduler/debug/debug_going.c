/* Where it goes next, and which snapshots are of use for that. */
#include "debug_internal.h"

void debugger_go(struct debugger *debugger, const GArray *choices, guint count)
{
	GArray *target = g_array_new(false, false, sizeof(struct choice));

	g_array_append_vals(target, choices->data, count);
	g_array_unref(debugger->target);
	debugger->target = target;
	g_array_set_size(debugger->decided, 0);
	debugger->finishes = false;
	debugger->exact = true;
	debugger->begins = debugger->goes_on = true;
	debugger->leaves = debugger->state == DEBUG_CHOICE || debugger->state == DEBUG_RUNNING;
	debugger->coming = (struct debug_hit){0};
	g_clear_pointer(&debugger->cut, g_array_unref);
	g_clear_pointer(&debugger->origin, stop_free);
}

void debugger_go_to_cut(struct debugger *debugger, const GArray *choices, const GArray *cut)
{
	debugger_go(debugger, choices, choices->len);
	if (cut)
		debugger->cut = g_array_copy((GArray *)cut);
}

void debugger_go_to_stop(struct debugger *debugger, const struct stop *stop)
{
	debugger_go_to_cut(debugger, stop->choices, stop->calls);
}

/* No rank has made more calls than it has at the stop. */
static bool is_below(const struct world *world, const struct stop *stop)
{
	for (guint rank = 0; stop->calls && rank < stop->calls->len; rank++)
		if (world_calls(world, (int)rank) > g_array_index(stop->calls, guint32, rank))
			return false;
	return true;
}

/* A snapshot serves any stop that has its choices, and lies behind it. */
bool stop_needs(const struct stop *stop, const struct world *world)
{
	const GArray *made = world_choices(world);

	for (guint i = 0; i < made->len; i++) {
		const struct choice *choice = &g_array_index(made, struct choice, i);
		const struct choice *there = choices_find(stop->choices, &choice->point);

		if (!there || !choice_equal(there, choice))
			return false;
	}
	return is_below(world, stop);
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
