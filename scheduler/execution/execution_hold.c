/* Holding ranks, and resuming an execution whose strategy has put its answer off. */
#include "run_ahead.h"
#include "runs_context.h"
#include "scheduler/world/matcher.h"

static bool is_open(const GArray *open, const struct choice *choice)
{
	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		for (guint k = 0; k < one->alternatives->len; k++)
			if (point_equal(&one->point, &choice->point)
			    && taken_equal(&g_array_index(one->alternatives, struct taken, k),
			                   &choice->taken))
				return true;
	}
	return false;
}

bool execution_resume(struct execution *execution, const struct choice *choice)
{
	GArray *open;
	bool possible;

	if (execution_result(execution)->phase != EXECUTION_UNDECIDED)
		return false;
	open = world_open_choices(execution_world(execution));
	possible = !choice || is_open(open, choice);
	if (possible) {
		struct choice made = choice ? *choice : (struct choice){0};

		execution_wait(execution, false);
		execution_make_choice(execution, open, choice ? &made : NULL);
	}
	open_choices_free(open);
	if (possible)
		execution_advance(execution);
	return possible;
}

void execution_hold(struct execution *execution, int rank, guint32 from)
{
	world_hold(execution_world(execution), rank, from);
	if (run_ahead_limit(execution_run_ahead(execution), rank, from)
	    && execution_is_running(execution) && execution_link(execution, rank))
		execution_welcome(execution, rank, execution_link(execution, rank));
}

bool execution_force_polls(struct execution *execution)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));

	if (execution_result(execution)->phase != EXECUTION_UNDECIDED
	    || (!world_answer_polls(execution_world(execution), execution_plan(execution))
	        && !world_answer_polls(execution_world(execution), nothing)))
		return false;
	execution_wait(execution, false);
	execution_advance(execution);
	return true;
}

void execution_let_held_go(struct execution *execution)
{
	if (!execution_is_running(execution)
	    || execution_result(execution)->phase == EXECUTION_UNDECIDED)
		return;
	world_let_held_go(execution_world(execution));
	execution_advance(execution);
}

void execution_hold_all(struct execution *execution)
{
	bool cut = position_has_cut(execution_target(execution));

	for (int rank = 0; rank < runs_ranks(execution_runs(execution)); rank++) {
		guint32 from = cut ? position_calls(execution_target(execution), rank)
		                   : WORLD_HOLDS_NOTHING;

		if (world_held_from(execution_world(execution), rank) != from)
			world_hold(execution_world(execution), rank, from);
	}
}
