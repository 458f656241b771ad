/* The state of an execution at rest, for a strategy that compares them. */
#include "naming.h"
#include "runs_context.h"
#include "scheduler/world/world_picture.h"

static bool can_answer(const struct execution *execution, int rank)
{
	return execution_link(execution, rank)
	       && world_phase(execution_world(execution), rank) == PHASE_BLOCKED
	       && !execution_ends(execution)[rank].deaf;
}

static void ask(struct execution *execution)
{
	struct naming *naming = execution_naming(execution);
	int ranks = runs_ranks(execution_runs(execution));

	naming_begin(naming, ranks);
	if (execution_forward_ms(execution) > 0)
		naming_refuse(naming, -1, "clocks have been put forward");
	for (int rank = 0; rank < ranks; rank++) {
		if (!can_answer(execution, rank))
			naming_refuse(naming, rank, "it has ended, or is about to");
		if (execution_ends(execution)[rank].returned)
			naming_refuse(naming, rank, "MPI has returned an error to it");
	}
	for (int rank = 0; !naming->hazard && rank < ranks; rank++) {
		if (!execution_strategy(execution)->verifies && naming_recall(naming, rank))
			continue;
		naming_ask(naming, rank);
		host_send(execution_link(execution, rank),
		          &(struct wire_message){.type = WIRE_TELL});
	}
}

static void tell(struct execution *execution)
{
	struct naming *naming = execution_naming(execution);
	struct strategy *strategy = execution_strategy(execution);
	const struct world *world = execution_world(execution);
	struct state_told told = {.ranks = runs_ranks(execution_runs(execution))};
	g_autofree guint32 *calls = g_new0(guint32, told.ranks);
	const char *why = world_picture(world, &told.name);

	if (why)
		naming_refuse(naming, -1, why);
	state_hash_add(&told.name, naming->ranks.word[0]);
	state_hash_add(&told.name, naming->ranks.word[1]);
	for (int rank = 0; rank < told.ranks; rank++)
		calls[rank] = world_calls(world, rank);
	told.calls = calls;
	strategy->state(strategy, naming->hazard ? NULL : &told, naming->hazard);
}

bool execution_tell_state(struct execution *execution)
{
	struct naming *naming = execution_naming(execution);

	if (!execution_strategy(execution)->state)
		return true;
	if (!naming->asked)
		ask(execution);
	if (naming->missing > 0)
		return false;
	tell(execution);
	naming_end(naming);
	return true;
}
