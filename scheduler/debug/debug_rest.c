/* Acts when the ranks are at rest: goes on towards the target, or stops. */
#include "debug_internal.h"
#include "scheduler/world/matcher.h"

static const struct world *world_of(const struct debugger *debugger)
{
	return execution_world(debugger->execution);
}

static void remember(struct debugger *debugger, const struct choice *choice)
{
	g_hash_table_replace(debugger->taken_before, g_memdup2(choice, sizeof(*choice)),
	                     g_memdup2(choice, sizeof(*choice)));
}

static bool all_made(const struct debugger *debugger)
{
	const GArray *made = world_choices(world_of(debugger));
	const GArray *target = debugger_target(debugger);

	for (guint i = choices_common(target, made); i < target->len; i++)
		if (!choices_find(made, &g_array_index(target, struct choice, i).point))
			return false;
	return true;
}

/* The first open choice that the target does not contain. */
static struct choice first_open(const struct debugger *debugger)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++) {
		const struct choice *choice = &g_array_index(open, struct choice, i);

		if (!choices_find(debugger_target(debugger), &choice->point))
			return *choice;
	}
	return g_array_index(open, struct choice, 0);
}

/* A held rank cannot take a turn. */
bool debugger_may_take(const struct debugger *debugger, const struct choice *choice)
{
	const struct point *point = &choice->point;

	return point->kind != POINT_TURN
	       || debugger->holds.from[point->rank] > world_calls(world_of(debugger), point->rank);
}

/* Takes the first candidate that is possible with the ranks held now. */
static bool take_first(const struct debugger *debugger, struct choice *ret_choice)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++) {
		*ret_choice = g_array_index(open, struct choice, i);
		if (debugger_may_take(debugger, ret_choice))
			return true;
	}
	return false;
}

/* Takes a choice that was decided at this stop. */
static bool take_decided(struct debugger *debugger, struct choice *ret_choice)
{
	for (guint i = 0; i < debugger->decided->len; i++) {
		*ret_choice = g_array_index(debugger->decided, struct choice, i);
		if (!debugger_is_open(debugger, ret_choice)
		    || !debugger_may_take(debugger, ret_choice))
			continue;
		g_array_remove_index(debugger->decided, i);
		return true;
	}
	return false;
}

/* Takes a lock's choice that paths omit: one whose lock no other rank asks for. */
static bool take_untold(const struct debugger *debugger, struct choice *ret_choice)
{
	const GArray *open = debugger->offers->choices;

	if (debugger_travels(debugger) || debugger->hits->len > 0
	    || debugger_step_is_over(debugger))
		return false;
	for (guint i = 0; i < open->len; i++) {
		*ret_choice = g_array_index(open, struct choice, i);
		if (!world_point_is_told(world_of(debugger), &ret_choice->point)
		    && !choices_find(debugger_target(debugger), &ret_choice->point))
			return true;
	}
	return false;
}

/* Whether to go on without a stop, and with which choice. */
static bool decide(struct debugger *debugger, struct choice *ret_choice)
{
	const GArray *open = debugger->offers->choices;

	if (open->len == 0 || debugger->hits->len > 0 || debugger_step_is_over(debugger))
		return false;
	*ret_choice = first_open(debugger);
	if (!all_made(debugger))
		return true;
	if ((debugger->exact && !debugger->finishes) || debugger->interrupted)
		return false;
	if (take_decided(debugger, ret_choice) || debugger->finishes
	    || debugger->chooser == CHOOSER_DEFAULT)
		return true;
	if (open->len == 1 && !world_holds(world_of(debugger)))
		return true; /* no rank has another choice */
	if (debugger->chooser != CHOOSER_RANDOM)
		return false;
	*ret_choice = g_array_index(open, struct choice,
	                            g_rand_int_range(debugger->random, 0, (gint32)open->len));
	return true;
}

static void set_holds(struct debugger *debugger)
{
	const struct holds *holds = &debugger->holds;

	for (int rank = 0; rank < holds->ranks; rank++)
		if (world_held_from(world_of(debugger), rank) != holds->from[rank])
			execution_hold(debugger->execution, rank, holds->from[rank]);
}

/* Goes on after a snapshot. Nothing is decided, and ranks at a breakpoint stay there. */
static void end_pause(struct debugger *debugger)
{
	debugger->pauses = false;
	set_holds(debugger);
	execution_want_snapshot(debugger->execution, false);
	debugger->state = DEBUG_NOWHERE;
	debugger->execution = NULL;
	executor_answer(&debugger->source, NULL);
}

/* `choice` NULL: nothing is decided, but held ranks may go on. */
static void answer(struct debugger *debugger, const struct choice *choice)
{
	if (choice)
		remember(debugger, choice);
	set_holds(debugger);
	g_array_set_size(debugger->hits, 0);
	g_clear_pointer(&debugger->offers, offers_free);
	debugger->state = DEBUG_NOWHERE;
	debugger->execution = NULL;
	if (!executor_answer(&debugger->source, choice))
		debugger_tell(debugger, "that cannot be chosen here\n");
}

/* Whether to take the requested snapshot before leaving this position. */
static bool parks_first(struct debugger *debugger)
{
	if (!debugger->keeps || !debugger->begins)
		return false;
	g_clear_pointer(&debugger->offers, offers_free);
	debugger->state = DEBUG_NOWHERE;
	debugger->leaves = debugger->keeps = false;
	debugger->parks = true;
	execution_want_snapshot(debugger->execution, true);
	debugger->execution = NULL;
	return executor_answer(&debugger->source, NULL);
}

static void stop_at_rest(struct debugger *debugger)
{
	bool held = world_holds(world_of(debugger)) || debugger->hits->len > 0
	            || debugger_stands(debugger);
	struct position *here = debugger_here(debugger, held);
	struct choice choice;

	debugger->exact = debugger->interrupted = debugger->finishes = debugger->keeps = false;
	stops_arrive(debugger->stops, here, false);
	session_keep_snapshots(debugger->session, debugger_needs, debugger);
	g_array_set_size(debugger->decided, 0);
	debugger_tell_stop(debugger);
	debugger_converse(debugger);
	if (debugger->leaves) {
		if (!parks_first(debugger))
			debugger_forget_place(debugger);
		return;
	}
	if (debugger->keeps)
		execution_want_snapshot(debugger->execution, true);
	if (take_decided(debugger, &choice)
	    || (debugger->takes_first && take_first(debugger, &choice)))
		answer(debugger, &choice);
	else
		answer(debugger, NULL);
}

/* The cut is reached: from now on only the choices count. */
static void forget_cut(struct debugger *debugger)
{
	struct position *before = debugger->target;

	debugger->target = session_position(debugger->session, position_path(before)->choices,
	                                    debugger->buffering);
	position_free(before);
}

/* On the way to a cut: whether every rank has reached it. Answers that were made without a choice
 * (a poll that returned "not yet" because nothing else was possible) come again as before. Returns
 * false to go on. */
static bool has_arrived(struct debugger *debugger)
{
	bool there = holds_is_there(world_of(debugger), debugger->target);
	struct choice choice;

	if (!there && executor_tell_polls(&debugger->source)) {
		g_clear_pointer(&debugger->offers, offers_free);
		debugger->state = DEBUG_NOWHERE;
		debugger->execution = NULL;
		return false;
	}
	if (!there && debugger_fill_gap(debugger, &choice)) {
		answer(debugger, &choice);
		return false;
	}
	if ((!there || !all_made(debugger)) && debugger_turn_back(debugger)) {
		debugger_forget_place(debugger);
		return false;
	}
	forget_cut(debugger);
	if (debugger->coming.number > 0)
		g_array_append_val(debugger->hits, debugger->coming);
	return true;
}

void debugger_come_to_rest(struct debugger *debugger, struct execution *execution)
{
	struct verdict_facts facts;
	GArray *open;
	struct choice choice;
	bool arrives;

	debugger_end_interruption(debugger);
	if (debugger->parks) {
		debugger->parks = false;
		debugger->leaves = true;
		return;
	}
	debugger->execution = execution;
	debugger->state = DEBUG_CHOICE;
	if (debugger->pauses) {
		end_pause(debugger);
		return;
	}
	facts = debugger_facts(debugger);
	open = world_open_choices(execution_world(execution));
	debugger->offers = offers_new(&facts, open);
	open_choices_free(open);
	arrives = debugger_travels(debugger)
	          || (debugger->exact && !debugger->finishes && all_made(debugger));
	if (take_untold(debugger, &choice)) {
		answer(debugger, &choice);
		return;
	}
	if (debugger_travels(debugger) && !has_arrived(debugger))
		return;
	if (arrives)
		holds_arrive(&debugger->holds, execution_world(execution));
	if (!arrives && decide(debugger, &choice))
		answer(debugger, &choice);
	else
		stop_at_rest(debugger);
}
