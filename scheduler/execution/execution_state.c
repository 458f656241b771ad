/* Reports the state of an execution at rest to a strategy that compares states. */
#include "execution_internal.h"
#include "runs_internal.h"
#include "scheduler/snapshot/state_fingerprint.h"
#include "scheduler/world/world_fingerprint.h"

static bool can_answer(const struct execution *execution, int rank)
{
	return execution->placement.slots[rank].link
	       && world_phase(execution->world, rank) == PHASE_BLOCKED
	       && !execution->ends[rank].deaf;
}

static void ask(struct execution *execution)
{
	struct state_fingerprint *fingerprint = &execution->fingerprint;
	int ranks = execution->runs->ranks;

	state_fingerprint_begin(fingerprint, ranks);
	fingerprint->since = execution_now(execution);
	if (execution->liveness.policy.forward_ever > 0)
		state_fingerprint_refuse(fingerprint, -1, "clocks were advanced");
	for (int rank = 0; rank < ranks; rank++) {
		/* Others may have written into its windows. */
		if (world_has_windows(execution->world))
			state_fingerprint_moves(fingerprint, rank);
		if (!can_answer(execution, rank))
			state_fingerprint_refuse(fingerprint, rank, "it has ended, or is about to");
		if (execution->ends[rank].returned)
			state_fingerprint_refuse(fingerprint, rank,
			                         "MPI has returned an error to it");
	}
	for (int rank = 0; !fingerprint->hazard && rank < ranks; rank++) {
		if (!execution->strategy->verifies && state_fingerprint_reuse(fingerprint, rank))
			continue;
		state_fingerprint_ask(fingerprint, rank);
		execution_order(execution, rank, &(struct wire_message){.type = WIRE_TELL});
	}
}

static void report(struct execution *execution)
{
	struct state_fingerprint *fingerprint = &execution->fingerprint;
	struct strategy *strategy = execution->strategy;
	const struct world *world = execution->world;
	struct known_state state = {.ranks = execution->runs->ranks};
	g_autofree guint32 *calls = g_new0(guint32, state.ranks);
	const char *why = world_fingerprint(world, &state.name);

	if (why)
		state_fingerprint_refuse(fingerprint, -1, why);
	state_hash_add(&state.name, (guint64)world_options(world)->buffering);
	state_hash_add(&state.name, fingerprint->ranks.word[0]);
	state_hash_add(&state.name, fingerprint->ranks.word[1]);
	for (int rank = 0; rank < state.ranks; rank++)
		calls[rank] = world_calls(world, rank);
	state.calls = calls;
	state.nameless = fingerprint->hazard != NULL;
	strategy->state(strategy, &state, fingerprint->hazard);
}

bool execution_report_state(struct execution *execution, const GArray *open)
{
	struct state_fingerprint *fingerprint = &execution->fingerprint;
	const struct strategy *strategy = execution->strategy;

	if (strategy->watch)
		state_watch_see(strategy->watch, open);
	if (!strategy->state)
		return true;
	if (!fingerprint->asked)
		ask(execution);
	if (fingerprint->missing > 0) {
		execution_enter(execution, EXECUTION_FINGERPRINTING);
		return false;
	}
	report(execution);
	execution->runs->fingerprint_us += execution_now(execution) - fingerprint->since;
	state_fingerprint_end(fingerprint);
	return true;
}
