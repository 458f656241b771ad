/* Where a snapshot of an execution is taken, and what that is measured by. */
#include "execution_internal.h"
#include "image.h"
#include "runs_context.h"
#include "scheduler/world/matcher.h"
#include "snapshot.h"

/* How long the way from keepers to an image may be, and which part of all that lies behind: what a
 * crash costs at most. The same where images would be lost that somebody has asked for. */
#define KEEPERS_S 1.0
#define KEEPERS_PART (1.0 / 16)
#define NAMED_S 60.0
#define NAMED_PART (1.0 / 2)

void execution_wait(struct execution *execution, bool waits)
{
	if (execution->asked > 0)
		execution->waited += execution_now(execution) - execution->asked;
	execution->asked = waits ? execution_now(execution) : 0;
	execution->result.waits = waits;
}

/* What it took to restore it is no part of that. */
double execution_ran(const struct execution *execution)
{
	gint64 until = execution->asked > 0 ? execution->asked : execution_now(execution);
	gint64 since = MAX(execution->started, execution->restored);

	return (double)(until - since - execution->waited) / G_USEC_PER_SEC;
}

double execution_ran_in_all(const struct execution *execution)
{
	return execution->before + execution_ran(execution);
}

void execution_want_snapshot(struct execution *execution, bool named)
{
	execution->wanted = true;
	execution->named = named;
}

static bool all_blocked(const struct execution *execution)
{
	for (int rank = 0; rank < runs_ranks(execution->runs); rank++) {
		if (!world_waits(execution->world, rank))
			return false;
	}
	return true;
}

static bool can_be_parked(const struct execution *execution)
{
	return !execution->strategy->wanders && !world_has_threads(execution->world)
	       && runs_take_snapshots(execution->runs) && !execution->no_parking
	       && !run_ahead_is_any(execution->run_ahead);
}

bool execution_should_park(const struct execution *execution)
{
	return can_be_parked(execution) && snapshot_is_worth_it(execution);
}

/* `branches`: it will be gone back to. */
static bool is_to_be_parked(const struct execution *execution, bool branches)
{
	bool worth = branches && snapshot_is_worth_it(execution);

	return (worth || execution->wanted) && can_be_parked(execution) && all_blocked(execution);
}

/* Whether it will be gone back to: for an alternative, or, where not the first point alone is
 * decided, for another point. */
static bool has_alternatives(const struct execution *execution, const GArray *open)
{
	bool alternatives = execution->strategy->state && open->len > 1;

	for (guint i = 0; i < open->len; i++)
		alternatives |= g_array_index(open, struct open_choice, i).alternatives->len > 1;
	return alternatives;
}

static void park(struct execution *execution)
{
	execution->result.state = EXECUTION_PARKING;
	execution->parking = snapshot_park(execution);
}

/* Before what the plan says of here is done, where others will come by. */
bool execution_park_along(struct execution *execution)
{
	GArray *open;
	bool branches;

	if (!execution->strategy->repeats || execution->plan->len == 0
	    || !is_to_be_parked(execution, true))
		return false;
	open = world_open_choices(execution->world);
	branches = has_alternatives(execution, open);
	open_choices_free(open);
	if (branches)
		park(execution);
	return branches;
}

/* Whether an image will do. It goes with its ranks, and one of these may crash: keepers do not lie
 * too far behind. But with them the images before are lost: where somebody has asked for these, not
 * so soon. Snapshots that nobody has asked for are few: keepers. */
static bool image_will_do(const struct execution *execution)
{
	double behind = execution->from ? execution->from->behind : 0;
	double all = execution_ran_in_all(execution);
	bool named = image_any_named(execution->runs, execution->group);
	double most = named ? MAX(NAMED_S, NAMED_PART * all) : MAX(KEEPERS_S, KEEPERS_PART * all);

	return (named || execution->named) && image_is_possible(execution) && all - behind < most;
}

static void keep_image(struct execution *execution, bool wanted)
{
	execution->result.state = EXECUTION_PARKING;
	execution->parking = image_begin(execution);
	execution->parking->wanted = wanted;
	execution->parking->named = execution->named;
}

/* As what is to be gone back to, an image or else a snapshot. */
static bool keep_for_alternatives(struct execution *execution, bool branches)
{
	bool each = execution->strategy->state && branches && image_is_possible(execution)
	            && can_be_parked(execution) && all_blocked(execution);
	bool snapshot = !each && is_to_be_parked(execution, branches);

	if (each)
		keep_image(execution, false);
	else if (snapshot && execution->strategy->stays && image_will_do(execution))
		keep_image(execution, true);
	else if (snapshot)
		park(execution);
	return each || snapshot;
}

void execution_park_instead(struct execution *execution, bool wanted)
{
	execution->wanted = wanted;
	if (is_to_be_parked(execution, true))
		park(execution);
	execution->wanted = false;
}

void execution_make_choice(struct execution *execution, const GArray *open, struct choice *choice)
{
	bool branches = world_holds(execution->world) || has_alternatives(execution, open);
	bool kept = keep_for_alternatives(execution, branches);

	execution->wanted = execution->named = false;
	if (kept) {
		if (choice)
			g_array_append_val(execution->plan, *choice);
		return;
	}
	if (choice && !world_choose(execution->world, choice))
		runs_fail(execution->runs, "internal error: a choice that the rules forbid");
	if (world_holds(execution->world))
		world_let_held_go(execution->world);
}

/* Ranks that do not come back from what MPI calls do not answer when told to park. */
bool execution_look_at_parking(struct execution *execution)
{
	int stuck = -1;

	if (!execution->parking || runs_wrapper(execution->runs))
		return false;
	stall_look(execution->stall, execution->world, execution_now(execution));
	for (int rank = 0; rank < runs_ranks(execution->runs); rank++) {
		const struct wire_blocking_call *inside = stall_blocking_call(execution->stall,
		                                                              rank);

		if (inside && inside->driven)
			stuck = rank;
	}
	if (stuck >= 0)
		runs_fall_back(execution->runs,
		               g_strdup_printf("rank %d does not come back from what MPI calls, "
		                               "where a snapshot was to be taken",
		                               stuck));
	return true;
}

/* What is ending ends as it is, and a new job has nothing to do with snapshots. */
void execution_fall_back(struct execution *execution)
{
	struct run_result *result = &execution->result;

	result->again |= result->state < EXECUTION_ENDING
	                 && (!execution->launched || result->state == EXECUTION_PARKING);
}
