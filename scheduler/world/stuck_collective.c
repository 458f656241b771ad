/* Ranks in collectives that MPI carries out and that do not end: all members have come, and one of
 * them has failed there, or is gone. The others are inside MPI, where nothing shows that they
 * wait. */
#include "collectives.h"
#include "entered.h"
#include "world_context.h"

void world_failed(struct world *world, int number, guint32 call)
{
	world_tell(world,
	           &(struct world_step){.kind = WORLD_STEP_FAILED, .rank = number, .call = call});
	if (world_line_call(world, number) == call)
		entered_fail(world_entered(world), number);
}

static bool has_failed(const struct world *world, int rank, guint64 instance)
{
	enum world_phase phase = world_phase(world, rank);

	return phase == PHASE_STOPPED || (phase == PHASE_ENDED && !world_finalized(world, rank))
	       || entered_has_failed(world_entered(world), rank, instance);
}

/* Marks the members that have failed (`waits` may be NULL). Returns whether there are any. */
static bool mark_failed(const struct world *world, int number, bool *waits)
{
	const GArray *entered = entered_by(world_entered(world), number);
	bool found = false;

	for (guint i = 0; i < entered->len; i++) {
		guint64 instance = g_array_index(entered, guint64, i);
		int count;
		const struct op_id *calls = collectives_calls(world_collectives(world), instance,
		                                              &count);

		for (int j = 0; j < count; j++) {
			if (calls[j].call == 0 || calls[j].rank == number
			    || !has_failed(world, calls[j].rank, instance))
				continue;
			found = true;
			if (waits)
				waits[calls[j].rank] = true;
		}
	}
	return found;
}

bool world_hold_stuck(struct world *world)
{
	bool held = false;

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_CAUGHT});
	for (int number = 0; number < world_options(world)->ranks; number++) {
		if (world_rank_has_threads(world, number)
		    || world_line_phase(world, number) != PHASE_RUNNING
		    || !mark_failed(world, number, NULL))
			continue;
		world_change_phase(world, number, PHASE_CAUGHT);
		held = true;
	}
	return world_tell_answer(world, held);
}

void world_rank_moves(struct world *world, int number)
{
	if (world_rank_has_threads(world, number)
	    || world_line_phase(world, number) != PHASE_CAUGHT)
		return;
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_MOVES, .rank = number});
	world_change_phase(world, number, PHASE_RUNNING);
}

void world_mark_stuck(const struct world *world, int number, bool *waits)
{
	if (world_line_phase(world, number) == PHASE_CAUGHT)
		mark_failed(world, number, waits);
}
