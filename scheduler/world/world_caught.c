/* Ranks in collectives that MPI carries out and that will not end: all members have come, and one
 * of them has failed there, or is gone. Nobody sees the others wait: they are inside MPI. */
#include "world_internal.h"

/* A member has gone on with an error from a collective. */
struct failure {
	guint64 instance;
	int rank;
};

void world_note_entered(struct world *world, int number, const struct live *live)
{
	g_array_append_val(world->ranks[number].entered, live->instance);
}

void world_failed(struct world *world, int number, guint32 call)
{
	const struct rank *rank = &world->ranks[number];

	world_tell(world,
	           &(struct world_step){.kind = WORLD_STEP_FAILED, .rank = number, .call = call});
	for (guint i = 0; rank->line->call == call && i < rank->entered->len; i++) {
		struct failure failure = {g_array_index(rank->entered, guint64, i), number};

		g_array_append_val(world->failures, failure);
	}
}

GArray *world_failures_new(void)
{
	return g_array_new(false, false, sizeof(struct failure));
}

static bool has_failed(const struct world *world, int rank, guint64 instance)
{
	enum world_phase phase = world->ranks[rank].line->phase;

	if (phase == PHASE_STOPPED || (phase == PHASE_ENDED && !world->ranks[rank].finalized))
		return true;
	for (guint i = 0; i < world->failures->len; i++) {
		const struct failure *failure = &g_array_index(world->failures, struct failure, i);

		if (failure->rank == rank && failure->instance == instance)
			return true;
	}
	return false;
}

/* Those members that have failed; whether there are any. */
static bool mark_failed(const struct world *world, int number, bool *waits)
{
	const struct rank *rank = &world->ranks[number];
	bool found = false;

	for (guint i = 0; i < rank->entered->len; i++) {
		guint64 instance = g_array_index(rank->entered, guint64, i);
		int count;
		const struct op_id *calls = collectives_calls(world->collectives, instance, &count);

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

bool world_hold_caught(struct world *world)
{
	bool held = false;

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_CAUGHT});
	for (int number = 0; number < world->options.ranks; number++) {
		struct rank *rank = &world->ranks[number];

		if (rank->threads || rank->line->phase != PHASE_RUNNING
		    || !mark_failed(world, number, NULL))
			continue;
		rank->line->phase = PHASE_CAUGHT;
		world->running--;
		held = true;
	}
	return world_tell_answer(world, held);
}

void world_rank_moves(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];

	if (rank->threads || rank->line->phase != PHASE_CAUGHT)
		return;
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_MOVES, .rank = number});
	rank->line->phase = PHASE_RUNNING;
	world->running++;
}

void world_mark_caught(const struct world *world, int number, bool *waits)
{
	if (world->ranks[number].line->phase == PHASE_CAUGHT)
		mark_failed(world, number, waits);
}
