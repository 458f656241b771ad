/* Positions, with and without a cut: as text, as targets, and which snapshots are useful for
 * one. */
#include <string.h>

#include "debug_internal.h"
#include "debug_travel.h"
#include "explorer/rank_name.h"
#include "reports/words.h"

void debugger_go_to(struct debugger *debugger, const struct position *position)
{
	position_free(debugger->target);
	debugger->target = position_copy(position);
	g_array_set_size(debugger->decided, 0);
	debugger->finishes = false;
	debugger->exact = true;
	debugger->begins = debugger->goes_on = true;
	debugger->leaves = debugger->state == DEBUG_CHOICE || debugger->state == DEBUG_RUNNING;
	debugger->certain = true;
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

bool debugger_stands(const struct debugger *debugger)
{
	const struct world *world;
	const GArray *open;

	if (debugger->state != DEBUG_CHOICE)
		return false;
	world = execution_world(debugger->execution);
	open = debugger->offers->choices;
	for (guint i = 0; i < open->len; i++)
		if (!world_point_is_told(world, &g_array_index(open, struct choice, i).point))
			return true;
	return open->len == 0; /* in a call that never returns */
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

/* Whether no rank has made more calls than at the stop. */
static bool is_below(const struct world *world, const struct stop *stop)
{
	for (int rank = 0; rank < world_options(world)->ranks; rank++)
		if (world_calls(world, rank) > position_calls(stop->position, rank))
			return false;
	return true;
}

/* A snapshot is useful for a stop if it lies before it and all its choices are the stop's. */
bool stop_needs(const struct stop *stop, const struct world *world)
{
	return choices_include(stop_choices(stop), world_choices(world))
	       && (!position_has_cut(stop->position) || is_below(world, stop));
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

/* --- text ------------------------------------------------------------------------------------- */

static void append_place(GString *text, const struct world *world, int rank)
{
	g_string_append_printf(text, "%s%s.%u", rank > 0 ? "," : "", rank_name(rank),
	                       world_place(world, rank));
}

char *debugger_position(const struct world *world, bool stands)
{
	g_autofree char *path = verdict_whole_path(world);
	GString *text = g_string_new(path);

	if (stands || world_holds(world)) {
		g_string_append_c(text, '@');
		for (int rank = 0; rank < world_options(world)->ranks; rank++)
			append_place(text, world, rank);
	}
	return g_string_free(text, false);
}

/* --- on the way ------------------------------------------------------------------------------- */

/* Finds a choice that the path may omit, and without which a rank cannot have returned from its
 * call. */
bool debugger_fill_gap(const struct debugger *debugger, struct choice *ret_choice)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++) {
		const struct choice *choice = &g_array_index(open, struct choice, i);
		const struct point *point = &choice->point;
		/* a lock is granted to the rank whose call asks for it */
		const struct op_id caller = point->kind == POINT_LOCK
		                                    ? choice->taken.send
		                                    : (struct op_id){point->rank, point->call, 0};

		if (choices_find(debugger_target(debugger), point)
		    || caller.call >= position_calls(debugger->target, caller.rank))
			continue;
		*ret_choice = *choice;
		return true;
	}
	return false;
}

/* Appends the first reason why the target is not reached: "rank 0 gets no further there than its
 * call 4, ...", or "rank 0's choice 0.7=1 is not open there". */
static void append_reason(GString *text, struct debugger *debugger)
{
	const struct world *world = execution_world(debugger->execution);
	const struct verdict_facts facts = debugger_facts(debugger);
	g_autoptr(GPtrArray) roll_call = verdict_roll_call(&facts);

	for (int rank = 0; rank < facts.ranks; rank++) {
		const struct record_rank *told = roll_call->pdata[rank];
		g_autofree char *call = NULL, *state = NULL, *where = NULL;

		if (world_place(world, rank) >= position_calls(debugger->target, rank))
			continue;
		call = words_call(told);
		state = words_state(told, roll_call);
		where = place_print(&told->place);
		g_string_append_printf(
			text, "rank %s gets no further there than its call %u, %s at %s, which %s",
			rank_name(rank), world_calls(world, rank), call, where, state);
		return;
	}
	for (guint i = 0; i < debugger_target(debugger)->len; i++) {
		const struct choice *choice = &g_array_index(debugger_target(debugger),
		                                             struct choice, i);

		if (choices_find(world_choices(world), &choice->point))
			continue;
		choice_append(text, choice);
		g_string_append(text, " cannot be chosen there");
		return;
	}
}

void debugger_go_back_to_origin(struct debugger *debugger)
{
	struct stop *origin = g_steal_pointer(&debugger->origin);

	debugger_go_to(debugger, origin->position);
	stop_free(origin);
}

bool debugger_turn_back(struct debugger *debugger)
{
	g_autofree char *nearest = debugger_position(execution_world(debugger->execution), false);
	GString *text = g_string_new(NULL);
	bool back = debugger->origin != NULL;

	append_reason(text, debugger);
	debugger_refuse(debugger, "%s; the nearest is goto %s", text->str, nearest);
	g_string_free(text, true);
	if (back)
		debugger_go_back_to_origin(debugger);
	return back;
}

/* --- goto ------------------------------------------------------------------------------------- */

/* Normalizes a position: no rank is before MPI_Init, and every condition is set. */
static struct position *position_meant(const struct debugger *debugger,
                                       const struct position *position, enum buffering buffering)
{
	const struct path *path = position_path(position);
	struct position *meant = session_position(debugger->session, path->choices, buffering);

	for (int rank = 0; rank < path->ranks; rank++)
		position_cut(meant, rank, MAX(position_calls(position, rank), 1));
	return meant;
}

void debugger_go_to_position(struct debugger *debugger, const struct position *position)
{
	const struct path *path = position_path(position);
	enum buffering buffering = path->buffering != BUFFERING_ANY ? path->buffering
	                                                            : debugger->buffering;
	bool stands = debugger->state == DEBUG_CHOICE || debugger->state == DEBUG_OVER;
	const struct stop *here = stands ? stops_here(debugger->stops) : NULL;
	struct position *meant = position_meant(debugger, position, buffering);
	struct stop *origin = NULL;

	if (here && buffering == debugger->buffering) {
		if (debugger_refuses_cut(debugger, meant)) {
			position_free(meant);
			return;
		}
		origin = stop_new(position_copy(here->position), here->ended);
	}
	debugger_set_buffering(debugger, buffering);
	debugger_go_to(debugger, meant);
	debugger->certain = false;
	debugger->origin = origin;
	position_free(meant);
}
