
#include <string.h>

#include "execution_internal.h"
#include "held_ranks.h"
#include "image.h"
#include "runs_internal.h"
#include "scheduler/world/matcher.h"

#define DRIVE_US (G_USEC_PER_SEC / 50)  /* until idle ranks must drive MPI */
#define TROUBLE_US (G_USEC_PER_SEC / 2) /* for other ranks to fail in MPI_Init like the first */
#define CAUGHT_US (G_USEC_PER_SEC / 2)  /* for others in a collective where one has failed */
#define GONE_US (5 * G_USEC_PER_SEC)    /* for the launcher to end when a rank has ended */

/* Appended to the livelock's message. */
#define GOES_ROUND                                                                                \
	"; proven: all ranks come back to the same state of memory, registers and messages, and " \
	"nothing can lead out of these rounds"

static int ranks_of(const struct execution *execution)
{
	return execution->runs->ranks;
}

struct execution *execution_new(struct runs *runs, const struct run_request *request)
{
	struct execution *execution = g_new0(struct execution, 1);
	int ranks = runs->ranks;

	execution->runs = runs;
	execution->strategy = request->strategy;
	execution->target = request->position;
	execution->plan = choices_copy(position_path(request->position)->choices);
	execution->stacks = request->stacks || request->stacks_on;
	execution->stacked = request->stacks;
	if (request->arrives)
		execution->run_ahead = run_ahead_new(request->position);
	execution->owner = request->owner;
	execution->uneven_clocks = request->uneven_clocks;
	/* What others restore must not have read such clocks. */
	execution->no_parking = request->uneven_clocks > 0;
	execution->result.struck_before = request->struck_before;
	execution->links = g_new0(struct host_link *, ranks);
	execution->pids = g_new0(pid_t, ranks);
	execution->welcomed = g_new0(bool, ranks);
	execution->parents = g_new0(pid_t, ranks);
	execution->ends = g_new0(struct rank_end, ranks);
	execution->stall = stall_new(runs->host, ranks);
	execution->timer = runs->host->operations->timer_new(runs->host, execution_timer_expired,
	                                                     execution);
	return execution;
}

gint64 execution_now(const struct execution *execution)
{
	return host_now(execution->runs->host);
}

void execution_free(struct execution *execution)
{
	const struct host_operations *host = execution->runs->host->operations;

	for (int rank = 0; rank < ranks_of(execution); rank++) {
		host_close(execution->links[rank]);
		rank_end_clear(&execution->ends[rank]);
	}
	g_hash_table_remove(execution->runs->all, GUINT_TO_POINTER(execution->number));
	snapshot_detach(execution);
	process_group_unref(execution->group);
	if (execution->image)
		execution->image->children--;
	if (execution->job)
		host->job_free(execution->job);
	world_free(execution->world);
	stall_free(execution->stall);
	g_array_unref(execution->plan);
	if (execution->promises)
		g_array_unref(execution->promises);
	position_free(execution->target);
	run_ahead_free(execution->run_ahead);
	livelock_detector_release(&execution->detector);
	state_fingerprint_release(&execution->fingerprint);
	g_free(execution->directory);
	g_free(execution->links);
	g_free(execution->pids);
	g_free(execution->welcomed);
	g_free(execution->parents);
	g_free(execution->ends);
	g_free(execution->result.lost);
	host->timer_free(execution->timer);
	g_free(execution);
}

void execution_set_process_group(struct execution *execution, struct process_group *group)
{
	process_group_unref(execution->group);
	execution->group = group;
}

void execution_place(struct execution *execution, guint32 number, const char *directory,
                     struct snapshot *from)
{
	int ranks = ranks_of(execution);
	GHashTable *executions = execution->runs->all;

	if (execution->directory)
		g_hash_table_remove(executions, GUINT_TO_POINTER(execution->number));
	g_free(execution->directory);
	snapshot_detach(execution);
	if (from)
		from->children++;
	execution->number = number;
	execution->directory = g_strdup(directory);
	execution->from = from;
	execution->launched = from == NULL;
	execution_set_process_group(execution, NULL);
	execution->before = from ? from->behind : 0;
	execution->no_image = false;
	state_fingerprint_release(&execution->fingerprint);
	if (from)
		state_fingerprint_copy(&execution->fingerprint, &from->fingerprint, ranks);
	execution->result.state = EXECUTION_STARTING;
	execution->connected = 0;
	execution->rewound = execution->moved = false;
	execution->restored = 0;
	execution->started = execution_now(execution);
	execution->idle_time = from ? from->idle_time + execution->started - from->parked_at : 0;
	execution->asked = execution->waited = 0;
	memset(execution->links, 0, (gsize)ranks * sizeof(*execution->links));
	memset(execution->pids, 0, (gsize)ranks * sizeof(*execution->pids));
	memset(execution->welcomed, 0, (gsize)ranks * sizeof(*execution->welcomed));
	memset(execution->ends, 0, (gsize)ranks * sizeof(*execution->ends));
	g_hash_table_insert(executions, GUINT_TO_POINTER(number), execution);
	execution_emit_begin(execution);
}

void execution_show_processes(const struct execution *execution)
{
	struct host *host = execution->runs->host;

	if (host->operations->show_processes)
		host->operations->show_processes(host, execution->number, execution->pids,
		                                 ranks_of(execution));
}

/* If a debugger may want the ranks, none goes on before all are there. */
static void welcome_connected(struct execution *execution)
{
	struct host *host = execution->runs->host;
	bool all = execution->connected == ranks_of(execution);
	bool waits = host->operations->is_watched && host->operations->is_watched(host);

	if (all)
		execution_show_processes(execution);
	if (all && execution->image) {
		image_connected(execution);
		return;
	}
	if (execution->image || (waits && !all))
		return;
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (!execution->links[rank] || execution->welcomed[rank])
			continue;
		execution->welcomed[rank] = true;
		execution_welcome(execution, rank, execution->links[rank]);
	}
}

void execution_connected(struct execution *execution, struct host_link *link,
                         const struct wire_hello *hello)
{
	int rank = hello->rank;
	const struct host_operations *host = execution->runs->host->operations;

	if (execution->result.cut_short || execution->result.state != EXECUTION_STARTING) {
		host_close(link); /* this ends the rank */
		return;
	}
	if (execution->links[rank]) {
		runs_fail(execution->runs,
		          "rank %d connected twice: does the program start MPI programs itself? "
		          "matchpoint controls one job",
		          rank);
		return;
	}
	runs_assign(link, LINK_RANK, execution, rank);
	execution->links[rank] = link;
	execution->pids[rank] = hello->pid;
	if (execution->launched)
		execution->parents[rank] = host->parent(execution->runs->host, hello->pid);
	if (execution->job)
		host->job_connected(execution->job, rank, link);
	stall_set(execution->stall, rank, hello->pid, hello->inside);
	execution->connected++;
	if (hello->restored && execution->connected == ranks_of(execution)) {
		execution->restored = execution_now(execution);
		snapshot_note_cost(execution);
	}
	welcome_connected(execution);
	execution_advance(execution);
}

/* --- at rest --------------------------------------------------------------------------------- */

/* The plan cannot be followed. If something outside has ended a rank a second time, that is the
 * outcome: without it, the program would have followed the plan. */
static void lose_plan(struct execution *execution)
{
	const struct world *world = execution->world;
	bool struck = execution_was_struck(execution);

	if (!struck)
		execution->result.lost = execution_why_lost(execution);
	execution->strategy->rest(execution->strategy, world_trace(world), NULL, NULL);
	/* With windows, ranks act on each other unseen; threads may take messages that others wait
	 * for. Then not every plan is possible. */
	if (struck
	    || (!execution->strategy->fills_gaps && !world_has_windows(world)
	        && !world_has_threads(world)))
		execution_conclude(execution);
	execution_end_ranks(execution, false);
}

/* The strategy has decided that this is the end. */
static void take_end(struct execution *execution, enum explorer_step step)
{
	execution->result.wasted = step == EXPLORER_DROP || step == EXPLORER_GIVE_UP;
	execution->result.known = step == EXPLORER_KNOWN;
	execution->result.returned = step == EXPLORER_RETURNED;
	if (step == EXPLORER_DONE)
		execution_conclude(execution);
}

/* Asks the strategy about an end at which nothing can be decided. */
static enum explorer_step ask_of_end(struct execution *execution)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct open_choice));
	struct choice unused;

	return execution->strategy->rest(execution->strategy, world_trace(execution->world),
	                                 nothing, &unused);
}

static enum explorer_step ask_strategy(struct execution *execution, GArray *open,
                                       struct choice *ret_choice)
{
	enum explorer_step step = EXPLORER_LATER;

	if (open->len > 0 && execution->plan->len == 0 && !world_holds(execution->world)
	    && world_goes_round_for_ever(execution->world)) {
		execution->result.livelock = true;
		execution->result.how_sure = GOES_ROUND;
		return ask_of_end(execution);
	}
	if (execution->runs->client->open)
		execution->runs->client->open(execution->owner, execution, open);
	if (open->len > 0 && execution->strategy->returned && !world_holds(execution->world)
	    && execution->plan->len == 0 && world_has_returned(execution->world))
		step = execution->strategy->returned(execution->strategy,
		                                     world_trace(execution->world));
	if (step != EXPLORER_LATER)
		return step;
	step = execution->strategy->rest(execution->strategy, world_trace(execution->world), open,
	                                 ret_choice);
	/* It is no end while held ranks can be released. */
	return step == EXPLORER_DONE && world_holds(execution->world) ? EXPLORER_LATER : step;
}

/* The strategy's plan cannot be followed. */
static enum explorer_step give_plan_up(struct execution *execution)
{
	struct choice unused;

	return execution->strategy->rest(execution->strategy, world_trace(execution->world), NULL,
	                                 &unused);
}

/* Notes that this was decided without waiting for threads that still run. */
static void note_hurried(struct execution *execution)
{
	if (execution->threads.doubtful)
		execution->result.limits |= LIMIT_BIT(LIMIT_THREADS_HURRIED);
}

/* Decides what happens at rest. Returns false if more messages are needed first. */
static bool at_rest(struct execution *execution)
{
	struct world *world = execution->world;
	struct choice choice = {0};
	enum explorer_step step;
	bool stuck; /* the plan's next choice is not open (yet) */
	bool held = world_holds(world);
	bool owed = choices_are_owed(execution->plan);
	GArray *open;

	/* If it was struck from outside, nothing of this counts. */
	if (!execution_endings_known(execution) || held_ranks_is_ahead(execution->held))
		return false;
	if (world_admit(world) || world_answer_ready(world) || execution_park_along(execution)
	    || execution_follow_plan(execution)) {
		note_hurried(execution);
		return true;
	}
	open = world_open_choices(world);
	if (execution->plan->len > 0)
		execution_hide_planned(execution, open);
	stuck = owed && !execution->strategy->fills_gaps && !held;
	if ((open->len == 0 || stuck) && !held && execution_answer_polls(execution)) {
		note_hurried(execution);
		open_choices_free(open);
		return true;
	}
	if (open->len == 0 && !held && !choices_promise(execution->plan)
	    && execution_waits_for_threads(execution)) {
		open_choices_free(open);
		return false;
	}
	note_hurried(execution);
	if (stuck || (owed && open->len == 0 && !held)) {
		open_choices_free(open);
		lose_plan(execution);
		return false;
	}
	if (open->len > 0 && !execution_report_state(execution, open)) {
		open_choices_free(open);
		return false;
	}
	step = ask_strategy(execution, open, &choice);
	if (step == EXPLORER_TAKE)
		execution_make_choice(execution, open, &choice);
	open_choices_free(open);
	if (step == EXPLORER_STUCK && execution_answer_polls(execution))
		return true;
	if (step == EXPLORER_STUCK)
		step = give_plan_up(execution);
	if (step == EXPLORER_GIVE_UP && execution_give_up_promises(execution))
		return true;
	execution_wait(execution, step == EXPLORER_LATER);
	if (step == EXPLORER_TAKE || step == EXPLORER_LATER)
		return step == EXPLORER_TAKE;
	take_end(execution, step);
	if (!execution->result.wasted || !image_keep_ranks(execution))
		execution_end_ranks(execution, true);
	return true;
}

/* Whether a rank itself has reported a failure. */
static bool has_reported(const struct rank_end *end)
{
	return end->known || end->error || end->aborted;
}

/* Returns how many ranks have failed or are gone; *ret_reported: those that reported it. */
static int count_troubled(const struct execution *execution, int *ret_reported)
{
	int count = 0;

	*ret_reported = 0;
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		*ret_reported += has_reported(&execution->ends[rank]);
		count += has_reported(&execution->ends[rank]) || execution->ends[rank].gone;
	}
	return count;
}

bool execution_failed_to_start(const struct execution *execution)
{
	int reported;

	count_troubled(execution, &reported);
	return execution->result.state == EXECUTION_STARTING && reported > 0;
}

static void fail_to_start(struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++)
		execution->ends[rank].killed |= !has_reported(&execution->ends[rank]);
	stall_look(execution->stall, execution->world,
	           execution_now(execution)); /* reads where all ranks are */
	take_end(execution, ask_of_end(execution));
	execution_end_ranks(execution, true);
	execution_advance(execution);
}

/* In a new job a rank can fail before it has left MPI_Init; then the others never leave it. Some
 * may be about to fail as well, so they get a moment. */
static void look_at_start(struct execution *execution)
{
	gint64 now = execution_now(execution);
	int reported, count = count_troubled(execution, &reported);

	if (count == 0)
		return;
	if (execution->trouble_since == 0)
		execution->trouble_since = now;
	if (reported > 0
	    && (count == ranks_of(execution) || now - execution->trouble_since > TROUBLE_US)) {
		if (!execution_lost_launcher(execution)
		    || !execution_strike(execution, "what the launcher starts ranks with")) {
			if (!execution_report_mpi_failed(execution))
				fail_to_start(execution);
		}
	} else if (now - execution->trouble_since > GONE_US
	           && !execution_strike(execution, "a rank before its MPI_Init was over"))
		runs_fail(execution->runs,
		          "%s: a rank ended before its MPI_Init was over, and reported no reason",
		          execution->runs->options.program);
}

static void start_world(struct execution *execution)
{
	struct runs *runs = execution->runs;
	bool is_first = !runs->root && !runs->job; /* no other is being parked for that */

	if (execution->launched && runs->snapshots && is_first && !execution->no_parking) {
		execution->result.state = EXECUTION_PARKING;
		execution->parking = snapshot_park(execution);
		return;
	}
	execution->result.state = EXECUTION_RUNNING;
	world_start(execution->world);
}

static void decide_at_rest(struct execution *execution)
{
	while (execution->result.state == EXECUTION_RUNNING && !execution->timing
	       && !execution->result.waits && execution->detector.missing == 0
	       && execution->fingerprint.missing == 0 && !execution->result.again
	       && !execution->runs->stopped && execution_is_at_rest(execution)) {
		if (!at_rest(execution))
			break;
	}
}

void execution_advance(struct execution *execution)
{
	int reported;

	execution_look_for_struck(execution);
	if (execution->result.state == EXECUTION_STARTING && !execution->result.again
	    && execution->connected == ranks_of(execution)
	    && count_troubled(execution, &reported) == 0 && execution_is_at_rest(execution))
		start_world(execution);
	do {
		decide_at_rest(execution);
	} while (execution_deliver_put_off(execution));
	if (execution->result.state == EXECUTION_ENDING)
		execution_finish_if_gone(execution);
}

/* A rank is not at rest because it waits for what ranks at rest do next. Decides for these. */
static void decide_for_others(struct execution *execution)
{
	struct world *world = execution->world;
	bool stuck = choices_are_owed(execution->plan) && !execution->strategy->fills_gaps;
	enum explorer_step step;
	struct choice choice = {0};
	GArray *open;

	if (world_admit(world) || world_answer_ready(world) || execution_follow_plan(execution))
		return;
	open = world_open_choices(world);
	execution_hide_planned(execution, open);
	if (!world_holds(world) && (open->len == 0 || stuck)) {
		if (!execution_answer_no(execution, execution->plan) && stuck
		    && stall_hopeless(execution->stall))
			lose_plan(execution);
	} else {
		if (execution->strategy->state)
			execution->strategy->state(execution->strategy, NULL,
			                           "a rank is not at rest");
		step = ask_strategy(execution, open, &choice);
		if (step == EXPLORER_TAKE)
			execution_make_choice(execution, open, &choice);
		if (step == EXPLORER_STUCK
		    && !world_answer_polls(world, execution_awaited(execution))
		    && stall_hopeless(execution->stall))
			step = give_plan_up(execution);
		execution_wait(execution, step == EXPLORER_LATER);
		execution->result.wasted = step == EXPLORER_DROP;
		if (execution->result.wasted)
			execution_end_ranks(execution, false);
	}
	open_choices_free(open);
}

/* Whether a rank has aborted inside a call that MPI carries out unreported. Others may wait for it
 * for ever. Without matchpoint, the job would have ended. */
static bool waits_for_aborted(const struct execution *execution)
{
	if (execution->result.state != EXECUTION_RUNNING
	    || execution_now(execution) - execution->heard < TROUBLE_US)
		return false;
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->ends[rank].deaf)
			return true;
	}
	return false;
}

/* Holds ranks in a collective in which one has failed, if they do not come out of it shortly. */
static void look_for_stuck(struct execution *execution)
{
	gint64 now = execution_now(execution);

	if (execution->result.state == EXECUTION_RUNNING && !world_at_rest(execution->world)
	    && (now - execution->heard) * stall_haste() > CAUGHT_US
	    && world_hold_stuck(execution->world))
		execution_advance(execution);
}

/* Ranks are not at rest, and will not be. With a promise that is not kept this is no end, because a
 * thread may wait for what another would do with the message. `over`: it is an end even so. */
static void end_undecided(struct execution *execution, bool over)
{
	enum explorer_step step = EXPLORER_DONE;

	if (choices_promise(execution->plan) || execution->strategy->wanders)
		step = ask_of_end(execution);
	if (step == EXPLORER_GIVE_UP && execution_give_up_promises(execution)) {
		if (!over)
			return;
		step = EXPLORER_DONE;
	}
	take_end(execution, step);
	execution_end_ranks(execution, false);
}

void execution_look(struct execution *execution)
{
	enum stall_step step;

	execution_look_for_dead(execution);
	execution_look_at_orphans(execution);
	if (execution->result.state == EXECUTION_ENDING)
		execution_look_at_end(execution);
	if (execution->result.state == EXECUTION_OVER
	    && runs_job_is_running(execution->runs, execution->job))
		execution_end_children(execution);
	if (execution->result.state == EXECUTION_STARTING && execution->launched)
		look_at_start(execution);
	if (waits_for_aborted(execution)) {
		end_undecided(execution, true);
		execution_advance(execution);
		return;
	}
	look_for_stuck(execution);
	if (execution_look_at_parking(execution))
		return;
	if (execution->result.state != EXECUTION_RUNNING || execution->result.waits
	    || world_at_rest(execution->world)
	    || (runs_are_untimed(execution->runs) && !world_has_windows(execution->world))) {
		stall_rest(execution->stall);
		return;
	}
	if (delivery_timeout_check(&execution->timeout, execution->world,
	                           execution_now(execution))) {
		execution_advance(execution);
		return;
	}
	if (execution_now(execution) - MAX(execution->heard, execution->started) > DRIVE_US)
		execution_drive_all(execution);
	step = stall_look(execution->stall, execution->world, execution_now(execution));
	if (step != STALL_NONE
	    && (world_holds(execution->world)
	        || (step == STALL_SPIN && choices_are_owed(execution->plan))))
		step = STALL_DECIDE;
	switch (step) {
	case STALL_NONE: return;
	case STALL_DECIDE: decide_for_others(execution); break;
	case STALL_SPIN:
	case STALL_OVER:
		if (runs_are_untimed(
			    execution->runs)) /* a user may have stopped it in a debugger */
			break;
		execution->result.stalled = true;
		execution->result.livelock = step == STALL_SPIN;
		end_undecided(execution, false);
		break;
	}
	execution_advance(execution);
}

void execution_look_for_absent(struct execution *execution)
{
	struct runs *runs = execution->runs;
	int rank;

	if (execution->result.state != EXECUTION_STARTING || !execution->launched)
		return;
	rank = absent_ranks_check(&execution->absent, runs->host, execution->pids, runs->ranks);
	if (rank >= 0 && !runs->stopped && execution->connected == 0)
		runs_fail(runs,
		          "%s: the launcher has started no process for rank %d; are the limits too "
		          "low (ulimit -u)?",
		          runs->options.program, rank);
	else if (rank >= 0 && !runs->stopped)
		runs_fail(runs,
		          "%s: rank %d ended without calling MPI_Init, where others wait "
		          "for it",
		          runs->options.program, rank);
}

/* No order may follow PARK or IMAGE before its answer (park.h). So the ranks are killed instead. */
static void give_parking_up(struct execution *execution)
{
	struct snapshot *snapshot = g_steal_pointer(&execution->parking);

	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->pids[rank] > 0)
			execution_kill(execution, rank);
		if (!snapshot->images)
			execution->links[rank] = NULL; /* it belongs to the snapshot */
	}
	if (!snapshot->images)
		execution->connected = 0;
	snapshot_release(snapshot);
}

void execution_cut_short(struct execution *execution)
{
	if (execution->result.state == EXECUTION_ENDING)
		execution_hurry(execution);
	if (execution->result.state == EXECUTION_ENDING
	    || execution->result.state == EXECUTION_OVER)
		return;
	execution->result.cut_short = true;
	if (execution->parking)
		give_parking_up(execution);
	if (!execution->result.waits || !image_keep_ranks(execution))
		execution_end_ranks(execution, false);
	execution_advance(execution);
}
