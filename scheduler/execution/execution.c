#include "execution_internal.h"
#include "explorer/rank_name.h"
#include "restart.h"
#include "runs_internal.h"
#include "scheduler/snapshot/image.h"
#include "scheduler/snapshot/snapshot.h"
#include "scheduler/tools/log.h"

#define DRIVE_US (G_USEC_PER_SEC / 50)  /* until idle ranks must drive MPI */
#define TROUBLE_US (G_USEC_PER_SEC / 2) /* for other ranks to fail in MPI_Init like the first */
#define CAUGHT_US (G_USEC_PER_SEC / 2)  /* for others in a collective where one has failed */
#define GONE_US (5 * G_USEC_PER_SEC)    /* for the launcher to end when a rank has ended */

/* Whether a send waits for its receive must not be a choice, and receives must not wait for
 * MPI_Cancel. */
static bool may_hurry(const struct runs *runs, const struct run_request *request)
{
	const enum buffering buffering = position_path(request->position)->buffering;

	return request->hurries && !runs->options.cancels
	       && (buffering == BUFFERING_INFINITE || buffering == BUFFERING_ZERO);
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
	else if (may_hurry(runs, request))
		execution->run_ahead = run_ahead_new_hurrying(ranks);
	execution->owner = request->owner;
	execution->saves = request->saves;
	execution->uneven_clocks = request->uneven_clocks;
	/* What others restore must not have read such clocks. */
	execution->no_parking = request->uneven_clocks > 0;
	execution->result.struck_before = request->struck_before;
	placement_init(&execution->placement, runs->snapshots, execution);
	execution->ends = g_new0(struct rank_end, ranks);
	execution->errors = g_new0(struct rank_errors, ranks);
	liveness_init(&execution->liveness, runs->host, ranks);
	execution->timer = runs->host->operations->timer_new(runs->host, execution_timer_expired,
	                                                     execution);
	return execution;
}

gint64 execution_now(const struct execution *execution)
{
	return host_now(execution->runs->host);
}

void execution_enter(struct execution *execution, enum execution_phase phase)
{
	if (!phase_may_follow(execution->result.phase, phase))
		runs_fail(execution->runs, "internal error: world %u goes from \"%s\" to \"%s\"",
		          execution->placement.number, phase_name(execution->result.phase),
		          phase_name(phase));
	if (phase != execution->result.phase)
		log_debug(LOG_RESTS, "world %u: %s", execution->placement.number,
		          phase_name(phase));
	execution->result.phase = phase;
}

void execution_discard(struct execution *execution, enum discard discard)
{
	if (discard <= execution->result.discard)
		return;
	execution->result.discard = discard;
	log_debug(LOG_RESTS, "world %u is discarded: %s", execution->placement.number,
	          discard_words(discard));
}

bool execution_begins_again(const struct execution *execution)
{
	return discard_effect(execution->result.discard) == DISCARD_AGAIN;
}

void execution_free(struct execution *execution)
{
	const struct host_operations *host = execution->runs->host->operations;

	placement_release(&execution->placement);
	execution_forget_reports(execution);
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		rank_end_clear(&execution->ends[rank]);
	if (execution->job)
		host->job_free(execution->job);
	world_free(execution->world);
	liveness_release(&execution->liveness);
	g_array_unref(execution->plan);
	if (execution->promises)
		g_array_unref(execution->promises);
	position_free(execution->target);
	run_ahead_free(execution->run_ahead);
	state_fingerprint_release(&execution->fingerprint);
	g_free(execution->ends);
	g_free(execution->errors);
	g_free(execution->result.lost);
	g_free(execution->hazard);
	host->timer_free(execution->timer);
	g_free(execution);
}

static struct thread_sight sight_of(struct execution *execution)
{
	return (struct thread_sight){.host = execution->runs->host,
	                             .world = execution->world,
	                             .ranks = execution->runs->ranks,
	                             .slots = execution->placement.slots,
	                             .timer = execution->timer,
	                             .heard = &execution->liveness.heard};
}

bool execution_is_at_rest(struct execution *execution)
{
	const struct thread_sight sight = sight_of(execution);

	return thread_rest_is_reached(&execution->liveness.threads, &sight);
}

bool execution_waits_for_threads(struct execution *execution)
{
	const struct thread_sight sight = sight_of(execution);

	return thread_rest_waits(&execution->liveness.threads, &sight);
}

void execution_show_processes(struct execution *execution)
{
	struct host *host = execution->runs->host;
	g_autofree pid_t *pids = NULL;

	if (!host->operations->show_processes)
		return;
	pids = placement_pids(&execution->placement);
	host->operations->show_processes(host, execution->placement.number, pids,
	                                 execution->runs->ranks);
}

/* Whether the ranks become keepers of the root before they do anything. If there is a job, another
 * execution is being parked for it. */
static bool becomes_root(const struct execution *execution)
{
	const struct runs *runs = execution->runs;

	return execution->placement.launched && snapshots_are_enabled(runs->snapshots)
	       && !snapshots_root(runs->snapshots) && !runs->job && !execution->no_parking;
}

/* If a debugger may want the ranks, none goes on before all are there. Restarted ranks of which
 * copies go on are not shown: a debugger that attached to them would be in the way. */
static void welcome_connected(struct execution *execution)
{
	struct host *host = execution->runs->host;
	bool all = execution->placement.connected == execution->runs->ranks;
	bool waits = host->operations->is_watched && host->operations->is_watched(host);

	if (all && !(execution->runs->options.restart && becomes_root(execution)))
		execution_show_processes(execution);
	if (all && execution->placement.image) {
		image_connected(&execution->placement);
		return;
	}
	if (execution->placement.image || (waits && !all))
		return;
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		if (!execution->placement.slots[rank].link
		    || execution->placement.slots[rank].welcomed)
			continue;
		execution->placement.slots[rank].welcomed = true;
		execution_welcome(execution, rank, execution->placement.slots[rank].link);
	}
}

void execution_connected(struct execution *execution, struct host_link *link,
                         const struct wire_hello *hello)
{
	int rank = hello->rank;
	const struct host_operations *host = execution->runs->host->operations;

	if (execution->result.discard == DISCARD_CUT_SHORT
	    || execution->result.phase != EXECUTION_STARTING) {
		host_close(link); /* this ends the rank */
		return;
	}
	if (execution->placement.slots[rank].link) {
		runs_fail(execution->runs,
		          "rank %s connected twice: does the program start MPI programs itself? "
		          "matchpoint controls one job",
		          rank_name(rank));
		return;
	}
	placement_assign(link, LINK_RANK, execution, rank);
	execution->placement.slots[rank].link = link;
	execution->placement.slots[rank].pid = hello->pid;
	if (execution->placement.launched)
		execution->placement.slots[rank].parent = host->parent(execution->runs->host,
		                                                       hello->pid);
	if (execution->job)
		host->job_connected(execution->job, rank, link);
	execution->placement.slots[rank].inside = hello->inside;
	stall_set(execution->liveness.stall, rank, hello->pid, hello->inside);
	execution->placement.connected++;
	if (hello->restored && execution->placement.connected == execution->runs->ranks) {
		execution->placement.restored = execution_now(execution);
		placement_note_restored(&execution->placement);
	}
	if (execution->restarts && execution->placement.connected == execution->runs->ranks) {
		if (!restart_rebuild(execution))
			return;
		execution->restarts = false;
	}
	if (!execution->restarts)
		welcome_connected(execution);
	execution_advance(execution);
}

/* --- in its start ---------------------------------------------------------------------------- */

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
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		*ret_reported += has_reported(&execution->ends[rank]);
		count += has_reported(&execution->ends[rank]) || execution->ends[rank].gone;
	}
	return count;
}

bool execution_failed_to_start(const struct execution *execution)
{
	int reported;

	count_troubled(execution, &reported);
	return execution->result.phase == EXECUTION_STARTING && reported > 0;
}

static void fail_to_start(struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		execution->ends[rank].killed |= !has_reported(&execution->ends[rank]);
	stall_look(execution->liveness.stall, execution->world,
	           execution_now(execution)); /* reads where all ranks are */
	rules_take_end(execution, rules_ask_of_end(execution));
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
	if (execution->liveness.trouble_since == 0)
		execution->liveness.trouble_since = now;
	if (reported > 0
	    && (count == execution->runs->ranks
	        || now - execution->liveness.trouble_since > TROUBLE_US)) {
		if (!execution_lost_launcher(execution)
		    || !execution_strike(execution, "what the launcher starts ranks with")) {
			if (!execution_report_mpi_failed(execution))
				fail_to_start(execution);
		}
	} else if (now - execution->liveness.trouble_since > GONE_US
	           && !execution_strike(execution, "a rank before its MPI_Init was over"))
		runs_fail(execution->runs,
		          "%s: a rank ended before its MPI_Init was over, and reported no reason",
		          execution->runs->options.program);
}

static void start_world(struct execution *execution)
{
	if (becomes_root(execution)) {
		execution_park(execution);
		return;
	}
	execution_enter(execution, EXECUTION_RUNNING);
	world_start(execution->world);
}

/* What is certain needs no rest. A plan may want something else. */
static void take_certain(struct execution *execution)
{
	struct choice choice;

	if (!world_options(execution->world)->hurries || !execution_is_running(execution))
		return;
	while (world_next_certain(execution->world, &choice))
		if (!choices_find(execution->plan, &choice.point))
			world_choose(execution->world, &choice);
}

void execution_advance(struct execution *execution)
{
	int reported;

	execution_look_for_struck(execution);
	if (execution->result.phase == EXECUTION_STARTING && !execution_begins_again(execution)
	    && execution->placement.connected == execution->runs->ranks
	    && count_troubled(execution, &reported) == 0 && execution_is_at_rest(execution))
		start_world(execution);
	do {
		take_certain(execution);
		rules_decide(execution);
	} while (execution_deliver_put_off(execution));
	if (execution->result.phase == EXECUTION_ENDING)
		execution_finish_if_gone(execution);
}

/* --- ranks that do not come to rest ----------------------------------------------------------- */

/* Whether a rank has aborted inside a call that MPI carries out unreported. Others may wait for it
 * for ever. Without matchpoint, the job would have ended. */
static bool waits_for_aborted(const struct execution *execution)
{
	if (!execution_is_running(execution)
	    || execution_now(execution) - execution->liveness.heard < TROUBLE_US)
		return false;
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		if (execution->ends[rank].deaf)
			return true;
	}
	return false;
}

/* Holds ranks in a collective in which one has failed, if they do not come out of it shortly. */
static void look_for_stuck(struct execution *execution)
{
	gint64 now = execution_now(execution);

	if (execution_is_running(execution) && !world_at_rest(execution->world)
	    && (now - execution->liveness.heard) * stall_haste() > CAUGHT_US
	    && world_hold_stuck(execution->world))
		execution_advance(execution);
}

/* Ranks are not at rest, and will not be. With a promise that is not kept this is no end, because a
 * thread may wait for what another would do with the message. `over`: it is an end even so. */
static void end_undecided(struct execution *execution, bool over)
{
	enum explorer_step step = EXPLORER_DONE;

	if (choices_promise(execution->plan) || execution->strategy->wanders)
		step = rules_ask_of_end(execution);
	if (step == EXPLORER_GIVE_UP && execution_give_up_promises(execution)) {
		if (!over)
			return;
		step = EXPLORER_DONE;
	}
	rules_take_end(execution, step);
	execution_end_ranks(execution, false);
}

void execution_look(struct execution *execution)
{
	enum stall_step step;

	execution_look_for_dead(execution);
	execution_look_at_orphans(execution);
	if (execution->result.phase == EXECUTION_ENDING)
		execution_look_at_end(execution);
	if (execution->result.phase == EXECUTION_OVER
	    && runs_job_is_running(execution->runs, execution->job))
		execution_end_children(execution);
	if (execution->result.phase < EXECUTION_ENDING && !execution_reports_known(execution))
		return;
	if (execution->result.phase == EXECUTION_STARTING && execution->placement.launched)
		look_at_start(execution);
	if (waits_for_aborted(execution)) {
		end_undecided(execution, true);
		execution_advance(execution);
		return;
	}
	look_for_stuck(execution);
	if (execution_look_at_parking(execution))
		return;
	if (!execution_is_running(execution) || execution->result.phase == EXECUTION_UNDECIDED
	    || world_at_rest(execution->world)
	    || (runs_are_untimed(execution->runs) && !world_has_windows(execution->world))) {
		stall_rest(execution->liveness.stall);
		return;
	}
	if (delivery_timeout_check(&execution->liveness.timeout, execution->world,
	                           execution_now(execution))) {
		execution_advance(execution);
		return;
	}
	if (execution_now(execution) - MAX(execution->liveness.heard, execution->placement.started)
	    > DRIVE_US)
		execution_drive_all(execution);
	step = stall_look(execution->liveness.stall, execution->world, execution_now(execution));
	if (step != STALL_NONE
	    && (world_holds(execution->world)
	        || (step == STALL_SPIN && choices_are_owed(execution->plan))))
		step = STALL_DECIDE;
	switch (step) {
	case STALL_NONE: return;
	case STALL_DECIDE: rules_decide_beside(execution); break;
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
	g_autofree pid_t *pids = NULL;
	int rank;

	if (execution->result.phase != EXECUTION_STARTING || !execution->placement.launched)
		return;
	pids = placement_pids(&execution->placement);
	rank = absent_ranks_check(&execution->liveness.absent, runs->host, pids, runs->ranks);
	if (rank >= 0 && !runs->stopped && execution->restarts)
		runs_fail_restart(runs, execution->job);
	else if (rank >= 0 && !runs->stopped && execution->placement.connected == 0)
		runs_fail(runs,
		          "%s: the launcher has started no process for rank %s; are the limits too "
		          "low (ulimit -u)?",
		          runs->options.program, rank_name(rank));
	else if (rank >= 0 && !runs->stopped)
		runs_fail(runs,
		          "%s: rank %s ended without calling MPI_Init, where others wait "
		          "for it",
		          runs->options.program, rank_name(rank));
}

/* No order may follow PARK or IMAGE before its answer (park.h). So the ranks are killed instead. */
static void give_parking_up(struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		execution_kill(execution, rank);
	snapshot_give_up(g_steal_pointer(&execution->parking), &execution->placement);
}

void execution_cut_short(struct execution *execution)
{
	if (execution->result.phase == EXECUTION_ENDING)
		execution_hurry(execution);
	if (execution->result.phase == EXECUTION_ENDING
	    || execution->result.phase == EXECUTION_OVER)
		return;
	execution_discard(execution, DISCARD_CUT_SHORT);
	if (execution->parking)
		give_parking_up(execution);
	if (execution->result.phase != EXECUTION_UNDECIDED || !execution_keep_ranks(execution))
		execution_end_ranks(execution, false);
	execution_advance(execution);
}
