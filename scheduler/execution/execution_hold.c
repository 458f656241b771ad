/* Holding ranks, and resuming an execution whose strategy has put its answer off. */
#include "execution_internal.h"
#include "run_ahead.h"
#include "runs_internal.h"
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

	if (execution->result.phase != EXECUTION_UNDECIDED)
		return false;
	open = world_open_choices(execution->world);
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
	world_hold(execution->world, rank, from);
	if (run_ahead_limit(execution->run_ahead, rank, from) && execution_is_running(execution)
	    && execution->placement.slots[rank].link)
		execution_welcome(execution, rank, execution->placement.slots[rank].link);
}

bool execution_force_polls(struct execution *execution)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));

	if (execution->result.phase != EXECUTION_UNDECIDED
	    || (!world_answer_polls(execution->world, execution->plan)
	        && !world_answer_polls(execution->world, nothing)))
		return false;
	execution_wait(execution, false);
	execution_advance(execution);
	return true;
}

void execution_let_held_go(struct execution *execution)
{
	if (!execution_is_running(execution) || execution->result.phase == EXECUTION_UNDECIDED)
		return;
	world_let_held_go(execution->world);
	execution_advance(execution);
}

void execution_hold_all(struct execution *execution)
{
	bool cut = position_has_cut(execution->target);

	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		guint32 from = cut ? position_calls(execution->target, rank) : WORLD_HOLDS_NOTHING;

		if (world_held_from(execution->world, rank) != from)
			world_hold(execution->world, rank, from);
	}
}
