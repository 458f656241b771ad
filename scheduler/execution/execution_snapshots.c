/* What snapshots and executions do to each other: the callbacks of snapshots.h, and keeping an
 * execution as a snapshot. */
#include <string.h>

#include "execution_internal.h"
#include "explorer/rank_name.h"
#include "runs_internal.h"
#include "scheduler/snapshot/held_ranks.h"
#include "scheduler/snapshot/image.h"
#include "scheduler/world/matcher.h"

/* --- callbacks -------------------------------------------------------------------------------- */

static void fail(void *user, int rank, const char *what)
{
	runs_fail(user, "rank %s made %s", rank_name(rank), what);
}

static void made(void *user, const struct snapshot *snapshot)
{
	const struct runs *runs = user;

	events_emit(runs->options.events, &(struct run_event){.kind = RUN_SNAPSHOT,
	                                                      .number = snapshot->number,
	                                                      .world = snapshot->world});
}

static void placed(struct execution *execution, const struct snapshot *state)
{
	const int ranks = execution->runs->ranks;
	const gint64 started = execution->placement.started;

	execution->before = state ? state->behind : 0;
	execution->idle_time = state ? state->idle_time + started - state->parked_at : 0;
	execution->no_image = false;
	state_fingerprint_release(&execution->fingerprint);
	if (state)
		state_fingerprint_copy(&execution->fingerprint, &state->fingerprint, ranks);
	execution_enter(execution, EXECUTION_STARTING);
	execution->moved = false;
	execution->asked = execution->waited = 0;
	memset(execution->ends, 0, (gsize)ranks * sizeof(*execution->ends));
	execution_forget_reports(execution);
	execution_emit_begin(execution);
}

static void located(struct execution *execution, int rank, pid_t pid, guint64 inside)
{
	execution->placement.slots[rank].inside = inside;
	stall_set(execution->liveness.stall, rank, pid, inside);
}

/* For its world, it is gone. */
static void held(struct execution *execution, int rank)
{
	execution->ends[rank].known = execution->ends[rank].reaped = true;
	execution_link_closed(execution, rank, NULL);
}

static void begin_again(struct execution *execution)
{
	execution_discard(execution, DISCARD_REDO);
}

static bool not_rewound(struct execution *execution, int rank, bool ordered)
{
	if (ordered) {
		if (execution->result.phase < EXECUTION_ENDING)
			begin_again(execution);
		held(execution, rank);
		return false;
	}
	if (execution->placement.image)
		begin_again(execution); /* from another snapshot */
	else if (execution->placement.from && execution->result.phase == EXECUTION_STARTING
	         && execution->result.discard < DISCARD_CUT_SHORT)
		return true;
	execution_rank_status(execution, rank, 0);
	return false;
}

const struct snapshots_client execution_snapshots_client = {
	.fail = fail,
	.hello = runs_hello,
	.made = made,
	.placed = placed,
	.welcome = execution_welcome,
	.connected = execution_show_processes,
	.located = located,
	.held = held,
	.begin_again = begin_again,
	.not_rewound = not_rewound,
	.ended = runs_child_ended,
	.is_running = execution_is_running,
	.advance = execution_advance,
};

/* --- keeping an execution --------------------------------------------------------------------- */

static struct snapshot_subject subject_of(struct execution *execution)
{
	return (struct snapshot_subject){.placement = &execution->placement,
	                                 .world = execution->world,
	                                 .fingerprint = &execution->fingerprint,
	                                 .idle_time = execution->idle_time,
	                                 .ran = execution_ran(execution),
	                                 .behind = execution_ran_in_all(execution),
	                                 .stacked = execution->stacked,
	                                 .sealed = execution_is_sealed(execution),
	                                 .along = execution->strategy->repeats};
}

void execution_park(struct execution *execution)
{
	const struct snapshot_subject subject = subject_of(execution);

	execution_enter(execution, EXECUTION_PARKING);
	execution->parking = snapshot_park(&subject);
	if (execution->placement.launched) /* keepers do not depend on this execution */
		execution->runs->job = g_steal_pointer(&execution->job);
}

void execution_keep_image(struct execution *execution, enum snapshot_wish wish)
{
	const struct snapshot_subject subject = subject_of(execution);

	execution_enter(execution, EXECUTION_PARKING);
	execution->parking = image_begin(&subject);
	execution->parking->wish = wish;
}

bool execution_is_sealed(const struct execution *execution)
{
	return execution->runs->options.states && execution->strategy->state;
}

bool execution_may_keep_image(const struct execution *execution)
{
	const struct strategy *strategy = execution->strategy;

	return !execution->no_image && (strategy->stays || strategy->state)
	       && image_is_possible(&execution->placement, strategy->stays);
}

/* Whether these can be mappings of one process: whole pages of a 64-bit address space. */
static bool mappings_possible(const struct wire_parked *parked)
{
	enum { PAGE = 4096 };
	const guint64 most = G_GUINT64_CONSTANT(1) << 56;

	for (uint32_t i = 0; i < parked->count; i++) {
		const struct wire_mapping *one = &parked->mappings[i];

		if ((one->start | one->length | one->offset) % PAGE != 0 || one->start > most
		    || one->length > most || one->offset > most)
			return false;
	}
	return true;
}

/* A rank holds what a copy cannot have: the execution goes on as it is. */
static void go_on_unparked(struct execution *execution, struct snapshot *snapshot)
{
	struct runs *runs = execution->runs;

	execution->no_parking = true;
	g_free(execution->hazard);
	execution->hazard = g_strdup(snapshot->hazard);
	if (!snapshots_root(runs->snapshots))
		runs_fall_back(runs, g_strdup(snapshot->hazard));
	if (execution->result.discard == DISCARD_REDO) /* it can go on from here */
		execution->result.discard = DISCARD_NOT;
	if (snapshot->launched)
		execution->job = g_steal_pointer(&runs->job);
	snapshot_resume(snapshot);
	execution_enter(execution, world_calls(execution->world, 0) > 1 ? EXECUTION_RUNNING
	                                                                : EXECUTION_STARTING);
	if (execution_is_running(execution) && world_holds(execution->world))
		world_let_held_go(execution->world);
}

void execution_parked(struct execution *execution, int rank, const struct wire_parked *parked)
{
	struct runs *runs = execution->runs;
	struct snapshot *snapshot = execution->parking;
	g_autoptr(GError) error = NULL;

	if (!snapshot || snapshot->images || execution_begins_again(execution)
	    || !snapshot_is_whole(snapshot))
		return; /* it was cut short meanwhile, or one of its ranks is gone */
	if (snapshot->answered[rank] || !mappings_possible(parked)) {
		runs_fail(runs, "rank %s made an impossible report: its mappings", rank_name(rank));
		return;
	}
	if (!snapshot_parked(snapshot, rank, parked))
		return;
	execution->parking = NULL;
	placement_set_group(&execution->placement, NULL);
	if (snapshot->hazard) {
		go_on_unparked(execution, snapshot);
		return;
	}
	/* The snapshot has the links now, even if it cannot be restored. */
	for (int one = 0; one < runs->ranks; one++)
		execution->placement.slots[one].link = NULL;
	if (!snapshot_restore(snapshot, &execution->placement, &error))
		runs_fall_back(runs, g_strdup(error->message));
}

/* The next snapshot is measured from here. */
static void note_kept(struct execution *execution, const struct snapshot *snapshot)
{
	if (!execution->strategy->stays)
		return;
	execution->before = snapshot->behind;
	execution->placement.restored = execution_now(execution);
	execution->waited = 0;
	execution->moved = false;
}

void execution_imaged(struct execution *execution, int rank, const struct wire_imaged *imaged)
{
	struct runs *runs = execution->runs;
	struct snapshot *snapshot = execution->parking;
	enum snapshot_wish wish;

	if (!image_answered(snapshot, rank, imaged)) {
		/* An answer may have been under way when the execution was given up. */
		if (execution->result.discard < DISCARD_CUT_SHORT)
			runs_fail(runs, "rank %s made an impossible report: an image",
			          rank_name(rank));
		return;
	}
	if (snapshot->parked < runs->ranks || execution_begins_again(execution))
		return;
	execution->parking = NULL;
	execution_enter(execution, EXECUTION_RUNNING);
	if (image_complete(snapshot, &execution->placement)) {
		note_kept(execution, snapshot);
	} else {
		wish = snapshot->wish;
		execution->no_image = true;
		snapshot_release(snapshot);
		execution_park_instead(execution, wish);
	}
	if (execution_is_running(execution) && world_holds(execution->world))
		world_let_held_go(execution->world);
}

/* --- giving up -------------------------------------------------------------------------------- */

static bool can_stay(const struct execution *execution, int rank)
{
	enum world_phase phase = world_phase(execution->world, rank);

	return execution->placement.slots[rank].link
	       && (phase == PHASE_BLOCKED || phase == PHASE_HELD) && !execution->ends[rank].known
	       && !execution->ends[rank].deaf;
}

bool execution_keep_ranks(struct execution *execution)
{
	const struct wire_held held = {0};
	int ranks = execution->runs->ranks;

	/* With windows, ranks drive MPI all the time (shim/gate/gate.c). Their shared memory would
	 * change while the others are put back. */
	if (!execution_is_running(execution) || world_has_threads(execution->world)
	    || world_has_windows(execution->world) || !execution_may_keep_image(execution)
	    || !image_has_any(execution->runs->snapshots, execution->placement.group, false))
		return false;
	for (int rank = 0; rank < ranks; rank++)
		if (!can_stay(execution, rank))
			return false;
	execution_emit_stop(execution);
	execution_enter(execution, EXECUTION_ENDING);
	execution->ending_since = execution_now(execution);
	for (int rank = 0; rank < ranks; rank++)
		held_ranks_add(&execution->placement, rank, &held);
	return true;
}
