/* The state of an execution at rest, for a strategy that compares them. */
#include "runs_context.h"
#include "scheduler/world/world_picture.h"

static bool can_answer(const struct execution *execution, int rank)
{
	return execution->links[rank] && world_phase(execution->world, rank) == PHASE_BLOCKED
	       && !execution->ends[rank].deaf;
}

static void ask(struct execution *execution)
{
	struct naming *naming = &execution->naming;

	naming_begin(naming, runs_ranks(execution->runs));
	if (execution->patience.forward_ever > 0)
		naming_refuse(naming, -1, "clocks have been put forward");
	for (int rank = 0; rank < runs_ranks(execution->runs); rank++) {
		if (!can_answer(execution, rank))
			naming_refuse(naming, rank, "it has ended, or is about to");
		if (execution->ends[rank].returned)
			naming_refuse(naming, rank, "MPI has returned an error to it");
	}
	for (int rank = 0; !naming->hazard && rank < runs_ranks(execution->runs); rank++) {
		naming_ask(naming, rank);
		host_send(execution->links[rank], &(struct wire_message){.type = WIRE_TELL});
	}
}

static void tell(struct execution *execution)
{
	struct naming *naming = &execution->naming;
	struct strategy *strategy = execution->strategy;
	struct state_hash name;
	const char *why = world_picture(execution->world, &name);

	if (why)
		naming_refuse(naming, -1, why);
	state_hash_add(&name, naming->ranks.word[0]);
	state_hash_add(&name, naming->ranks.word[1]);
	strategy->state(strategy, naming->hazard ? NULL : &name, naming->hazard);
}

bool execution_tell_state(struct execution *execution)
{
	if (!execution->strategy->state)
		return true;
	if (!execution->naming.asked)
		ask(execution);
	if (execution->naming.missing > 0)
		return false;
	tell(execution);
	naming_release(&execution->naming);
	return true;
}
