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

static bool has_choice(const GArray *open, int rank)
{
	for (guint i = 0; i < open->len; i++)
		if (g_array_index(open, struct open_choice, i).point.rank == rank)
			return true;
	return false;
}

static bool asks_choosers_alone(const struct strategy *strategy)
{
	return !strategy->state && state_watch_wants(strategy->watch) == STATE_WATCH_CHOOSERS;
}

static void ask(struct execution *execution, const GArray *open)
{
	struct naming *naming = execution_naming(execution);
	int ranks = runs_ranks(execution_runs(execution));
	bool choosers = asks_choosers_alone(execution_strategy(execution));

	naming_begin(naming, ranks);
	naming->since = execution_now(execution);
	if (execution_forward_ms(execution) > 0)
		naming_refuse(naming, -1, "clocks have been put forward");
	for (int rank = 0; rank < ranks; rank++) {
		/* Others may have written into its windows. */
		if (world_has_windows(execution_world(execution)))
			naming_moves(naming, rank);
		if (!can_answer(execution, rank))
			naming_refuse(naming, rank, "it has ended, or is about to");
		if (execution_ends(execution)[rank].returned)
			naming_refuse(naming, rank, "MPI has returned an error to it");
	}
	for (int rank = 0; !naming->hazard && rank < ranks; rank++) {
		if (choosers && !has_choice(open, rank))
			continue;
		if (!execution_strategy(execution)->verifies && naming_recall(naming, rank))
			continue;
		naming_ask(naming, rank);
		execution_order(execution, rank, &(struct wire_message){.type = WIRE_TELL});
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
	state_hash_add(&told.name, (guint64)world_options(world)->buffering);
	state_hash_add(&told.name, naming->ranks.word[0]);
	state_hash_add(&told.name, naming->ranks.word[1]);
	for (int rank = 0; rank < told.ranks; rank++)
		calls[rank] = world_calls(world, rank);
	told.calls = calls;
	if (strategy->state)
		strategy->state(strategy, naming->hazard ? NULL : &told, naming->hazard);
	else
		state_watch_add(strategy->watch, naming->hazard ? NULL : &told.name);
}

/* false: it is no matter to the strategy. */
static bool is_wanted(const struct strategy *strategy)
{
	if (!strategy->state && strategy->watch
	    && state_watch_wants(strategy->watch) == STATE_WATCH_NONE) {
		state_watch_add(strategy->watch, NULL);
		return false;
	}
	return strategy->state || strategy->watch;
}

bool execution_tell_state(struct execution *execution, const GArray *open)
{
	struct naming *naming = execution_naming(execution);

	if (!naming->asked) {
		if (!is_wanted(execution_strategy(execution)))
			return true;
		ask(execution, open);
	}
	if (naming->missing > 0)
		return false;
	tell(execution);
	runs_note_naming(execution_runs(execution), execution_now(execution) - naming->since);
	naming_end(naming);
	return true;
}
