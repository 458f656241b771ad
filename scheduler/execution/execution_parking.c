/* Decides where a snapshot of an execution is taken. */
#include "execution_internal.h"
#include "explorer/rank_name.h"
#include "runs_internal.h"
#include "scheduler/snapshot/image.h"
#include "scheduler/world/matcher.h"

/* Limits for the time from keepers to an image, and for its part of the whole run: what a crash
 * costs at most. The second pair counts if images that were asked for by the user would be lost. */
#define KEEPERS_S 1.0
#define KEEPERS_PART (1.0 / 16)
#define NAMED_S 60.0
#define NAMED_PART (1.0 / 2)

#define WORTH 2.0             /* restores, if the snapshot is returned to at once */
#define WORTH_LEAPING 10.0    /* the same, if that is not certain */
#define WORTH_PART (1.0 / 16) /* of the whole run, if snapshots accumulate */
#define WORTH_S 0.005         /* shorter runs are repeated faster than restored */
/* If ranks are rewound instead: those of a new snapshot are forked, and get a twin. Both limits
 * apply. With rewinding, few forks are measured, and other processes may have taken the processors
 * since. */
#define WORTH_REWINDING_S 0.025
#define WORTH_REWINDING 2.0 /* times as many restores by fork */
#define WORTH_REWINDS 20.0  /* restores in place */

void execution_wait(struct execution *execution, bool waits)
{
	if (execution->asked > 0)
		execution->waited += execution_now(execution) - execution->asked;
	execution->asked = waits ? execution_now(execution) : 0;
	if (waits && execution_is_running(execution))
		execution_enter(execution, EXECUTION_UNDECIDED);
	else if (execution->result.phase == EXECUTION_UNDECIDED)
		execution_enter(execution, EXECUTION_RUNNING);
}

/* Restoring it does not count. */
double execution_ran(const struct execution *execution)
{
	gint64 until = execution->asked > 0 ? execution->asked : execution_now(execution);
	gint64 since = MAX(execution->placement.started, execution->placement.restored);

	return (double)(until - since - execution->waited) / G_USEC_PER_SEC;
}

double execution_ran_in_all(const struct execution *execution)
{
	return execution->before + execution_ran(execution);
}

void execution_want_snapshot(struct execution *execution, bool named)
{
	execution->wish = named ? SNAPSHOT_NAMED : SNAPSHOT_WANTED;
}

static bool all_blocked(const struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
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

/* Whether a snapshot is worth its cost: running so far takes much longer than putting ranks
 * back. */
static bool is_worth_it(const struct execution *execution)
{
	const struct snapshots *snapshots = execution->runs->snapshots;
	const struct restore_cost cost = snapshots_cost(snapshots);
	double seconds = execution_ran(execution);
	double times = execution->strategy->leaps ? WORTH_LEAPING : WORTH;

	/* The snapshot would equal the one that it began at. */
	if (execution->strategy->passes || (execution->placement.from && !execution->moved))
		return false;
	if (execution->strategy->stays
	    && (seconds < WORTH_PART * execution_ran_in_all(execution)
	        || !snapshots_have_room(snapshots)))
		return false;
	if (!snapshots_rewind(snapshots))
		return seconds > MAX(WORTH_S, times * cost.fork);
	return seconds > WORTH_REWINDING_S && seconds > WORTH_REWINDING * times * cost.fork
	       && seconds > WORTH_REWINDS * cost.rewind;
}

bool execution_should_park(const struct execution *execution)
{
	return can_be_parked(execution) && is_worth_it(execution);
}

/* `branches`: the execution will be returned to. */
static bool is_to_be_parked(const struct execution *execution, bool branches)
{
	bool worth = branches && is_worth_it(execution);

	return (worth || execution->wish) && can_be_parked(execution) && all_blocked(execution);
}

/* Whether the state will be returned to: for an alternative, or, with states, for another point. */
static bool has_alternatives(const struct execution *execution, const GArray *open)
{
	bool alternatives = execution->strategy->state && open->len > 1;

	for (guint i = 0; i < open->len; i++)
		alternatives |= g_array_index(open, struct open_choice, i).alternatives->len > 1;
	return alternatives;
}

/* Takes a snapshot before the plan is followed here, if others will pass. */
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
		execution_park(execution);
	return branches;
}

/* Whether an image is enough. Images are lost if one of their ranks crashes, so keepers must not be
 * too far behind. But taking keepers loses the images before. If the user has asked for some,
 * keepers are therefore taken later. Other snapshots are few, so they are always keepers. */
static bool image_will_do(const struct execution *execution)
{
	double behind = execution->placement.from ? execution->placement.from->behind : 0;
	double all = execution_ran_in_all(execution);
	bool named = image_has_any(execution->runs->snapshots, execution->placement.group, true);
	double most = named ? MAX(NAMED_S, NAMED_PART * all) : MAX(KEEPERS_S, KEEPERS_PART * all);

	return (named || execution->wish == SNAPSHOT_NAMED) && execution_may_keep_image(execution)
	       && all - behind < most;
}

/* Keeps the state for a return: as an image if each state is kept, else as a snapshot. */
static bool keep_for_alternatives(struct execution *execution, bool branches)
{
	bool each = execution->strategy->state && branches && execution_may_keep_image(execution)
	            && can_be_parked(execution) && all_blocked(execution);
	bool snapshot = !each && is_to_be_parked(execution, branches);

	if (each)
		execution_keep_image(execution, SNAPSHOT_UNWANTED);
	else if (snapshot && execution->strategy->stays && image_will_do(execution))
		execution_keep_image(execution, MAX(execution->wish, SNAPSHOT_WANTED));
	else if (snapshot)
		execution_park(execution);
	return each || snapshot;
}

void execution_park_instead(struct execution *execution, enum snapshot_wish wish)
{
	execution->wish = wish;
	if (is_to_be_parked(execution, true))
		execution_park(execution);
	execution->wish = SNAPSHOT_UNWANTED;
}

void execution_make_choice(struct execution *execution, const GArray *open, struct choice *choice)
{
	bool branches = world_holds(execution->world) || has_alternatives(execution, open);
	bool kept = keep_for_alternatives(execution, branches);

	execution->wish = SNAPSHOT_UNWANTED;
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

/* Ranks that do not return from calls that MPI makes do not answer PARK. */
bool execution_look_at_parking(struct execution *execution)
{
	int stuck = -1;

	if (!execution->parking || execution->runs->options.wrapper)
		return false;
	stall_look(execution->liveness.stall, execution->world, execution_now(execution));
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		const struct wire_blocking_call *inside = stall_blocking_call(
			execution->liveness.stall, rank);

		if (inside && inside->driven)
			stuck = rank;
	}
	if (stuck >= 0)
		runs_fall_back(execution->runs,
		               g_strdup_printf("rank %s does not return from a call that MPI "
		                               "makes, so no snapshot can be taken",
		                               rank_name(stuck)));
	return true;
}

/* An execution that is ending just ends. A new job does not need snapshots, unless one is being
 * taken. */
void execution_fall_back(struct execution *execution)
{
	const enum execution_phase phase = execution->result.phase;

	if (phase < EXECUTION_ENDING
	    && (!execution->placement.launched || phase == EXECUTION_PARKING))
		execution_discard(execution, DISCARD_REDO);
}
