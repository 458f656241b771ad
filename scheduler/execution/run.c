/* How an execution begins, and what others may know of it. */
#include "run.h"

#include "execution_internal.h"
#include "restart.h"
#include "runs_internal.h"
#include "scheduler/snapshot/held_ranks.h"
#include "scheduler/snapshot/snapshot.h"
#include "scheduler/tools/log.h"

#define RANKS_LIMIT_S 5.0     /* limit for ranks to end after END */
#define LAUNCHER_LIMIT_S 5.0  /* limit for the job to end after its ranks */
#define LAUNCHER_KILLED_S 0.5 /* the same if ranks had to be killed */
#define TOOLS_LIMIT_S 60.0    /* the same for ranks under a tool */

void execution_forget_made(struct execution *execution)
{
	GArray *plan = execution->plan;
	const GArray *made = world_choices(execution->world);

	for (guint i = 0; i < made->len; i++) {
		const struct choice *choice = &g_array_index(made, struct choice, i);

		for (guint j = 0; j < plan->len; j++) {
			if (!point_equal(&g_array_index(plan, struct choice, j).point,
			                 &choice->point))
				continue;
			g_array_remove_index(plan, j);
			break;
		}
	}
}

static struct snapshot *find_nearest(struct runs *runs, const struct run_request *request)
{
	struct snapshot *root = snapshots_root(runs->snapshots);

	/* A restarted job is not the program's start. */
	if (runs->options.restart && !restart_serves(runs->options.restart, request))
		return NULL;
	if (!snapshots_are_enabled(runs->snapshots) || !root || request->from_start)
		return snapshots_are_enabled(runs->snapshots) ? root : NULL;
	return snapshots_nearest(runs->snapshots, request->position, request->stacks,
	                         runs->options.states && request->strategy->state);
}

static struct world_options options_under(const struct runs_options *asked, const struct path *path,
                                          bool hurries)
{
	return (struct world_options){asked->ranks,
	                              path->buffering,
	                              asked->every_call_waits,
	                              path->collectives,
	                              path->buffering == BUFFERING_ZERO,
	                              asked->cancels,
	                              asked->digests,
	                              asked->not_yet,
	                              asked->some,
	                              asked->nodes,
	                              hurries};
}

struct execution *execution_begin(struct runs *runs, const struct run_request *request)
{
	const struct world_options options = options_under(
		&runs->options, position_path(request->position), request->hurries);
	struct snapshot *snapshot;
	struct execution *execution;
	g_autoptr(GError) error = NULL;

	runs->begun++;
	if (runs->lost) /* while no execution needed them */
		runs_renew_job(runs);
	snapshot = find_nearest(runs, request);
	execution = execution_new(runs, request);
	log_debug(LOG_SESSION, "a plan of %u choices, from %s with %u", execution->plan->len,
	          snapshot ? "a snapshot" : "a new job",
	          snapshot ? world_choices(snapshot->world)->len : 0);
	runs->host->operations->put_files_back(runs->host, snapshot ? snapshot->memory : NULL);
	if (!snapshot) {
		execution->world = world_new(&options, runs->options.comms, &execution_orders,
		                             execution);
		execution_hold_all(execution);
		execution->restarts = restart_serves(runs->options.restart, request);
		/* Its job is its own: the keepers are those of the checkpoint. */
		execution->no_parking |= runs->options.restart && !execution->restarts;
		execution->job = runs_launch(runs, &execution->placement, execution->restarts);
		return execution;
	}
	execution->world = world_copy(snapshot->world, &options, execution);
	execution_hold_all(execution);
	execution_forget_made(execution);
	if (!snapshot_restore(snapshot, &execution->placement, &error)) {
		execution_discard(execution, DISCARD_REDO);
		runs_fall_back(runs, g_strdup(error->message));
	}
	return execution;
}

void execution_set_off(struct execution *execution)
{
	if (execution->placement.connected < execution->runs->ranks)
		return;
	runs_send_off(execution->runs);
	execution_advance(execution);
}

void execution_welcome(const struct execution *execution, int rank, struct host_link *link)
{
	const struct world_options *options = world_options(execution->world);
	struct wire_message welcome = {.type = WIRE_WELCOME};

	welcome.welcome.buffering = (uint8_t)options->buffering;
	welcome.welcome.every_call_waits = options->every_call_waits;
	welcome.welcome.synchronous_collectives = options->collectives == COLLECTIVES_SYNC;
	welcome.welcome.stacks = execution->stacks;
	welcome.welcome.states = execution->runs->options.states;
	welcome.welcome.seals = execution_is_sealed(execution);
	welcome.welcome.images = execution->runs->options.images;
	welcome.welcome.rewinds = snapshots_rewind(execution->runs->snapshots);
	welcome.welcome.contents = execution->runs->options.contents;
	welcome.welcome.ahead = run_ahead_below(execution->run_ahead, rank);
	welcome.welcome.hurries = run_ahead_hurries(execution->run_ahead);
	welcome.welcome.atomics = execution->runs->options.atomics;
	welcome.welcome.idle_time = (guint64)execution->idle_time;
	welcome.welcome.uneven_clocks = execution->uneven_clocks;
	host_send(link, &welcome);
}

void execution_want_stacks(struct execution *execution)
{
	if (execution->stacks)
		return;
	execution->stacks = true;
	/* Ranks that connect later get WELCOME then, again if need be. */
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		execution->placement.slots[rank].welcomed = false;
	if (!execution_is_running(execution))
		return;
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (execution->placement.slots[rank].link)
			execution_welcome(execution, rank, execution->placement.slots[rank].link);
}

void execution_conclude(struct execution *execution)
{
	execution->result.ended_well = execution->runs->client->end(execution->owner, execution,
	                                                            &execution->result.word);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Returns how long the job may take to end after its ranks, in seconds. */
static double job_limit(const struct execution *execution)
{
	return execution->result.ended_well ? LAUNCHER_LIMIT_S : LAUNCHER_KILLED_S;
}

bool execution_has_ended(const struct execution *execution)
{
	gint64 waited = execution_now(execution) - execution->over_since;

	if (execution->result.phase != EXECUTION_OVER)
		return false;
	return !runs_job_is_running(execution->runs, execution->job)
	       || (double)waited > job_limit(execution) * G_USEC_PER_SEC;
}

void execution_report_gone(struct execution *execution)
{
	const struct run_client *client = execution->runs->client;

	if (execution->result.phase == EXECUTION_OVER && client->gone)
		client->gone(execution->owner, execution, execution->placement.directory);
}

static bool is_gone(void *data)
{
	return ((const struct execution *)data)->result.phase == EXECUTION_OVER;
}

static bool has_answers(void *data)
{
	const struct execution *execution = data;

	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (execution->errors[rank].open)
			return false;
	return true;
}

static bool job_is_gone(void *data)
{
	const struct execution *execution = data;

	return !runs_job_is_running(execution->runs, execution->job);
}

static bool job_is_gone_or_hurried(void *data)
{
	const struct execution *execution = data;

	return job_is_gone(data) || execution->runs->hurried;
}

/* Waits for the job, which has to be over before another takes its place. A user ends a debugger;
 * other tools may print much at their end. */
static void end_job(struct execution *execution)
{
	const struct wrapper *wrapper = execution->runs->options.wrapper;

	if (!execution->job)
		return;
	if (wrapper)
		host_wait(execution->runs->host, job_is_gone_or_hurried, execution,
		          wrapper->terminal ? 0 : TOOLS_LIMIT_S);
	if (!execution_has_ended(execution)
	    && !host_wait(execution->runs->host, job_is_gone, execution, job_limit(execution)))
		log_debug(LOG_SESSION, "the job launcher had to be killed");
	runs_free_job(execution->runs, g_steal_pointer(&execution->job));
}

/* Which processes to ask for the places of a rank, and the job that its addresses belong to. All
 * worlds that are copies belong to one job. */
static struct site_owner site_owner_of(const struct execution *execution, int rank)
{
	const struct snapshot *root = snapshots_root(execution->runs->snapshots);

	return (struct site_owner){
		.job = execution->placement.launched ? execution->placement.number + 1 : 0,
		.rank = rank,
		.first = !execution->placement.launched && root ? root->pids[rank] : 0,
		.pid = execution->placement.slots[rank].pid,
	};
}

void execution_drop(struct execution *execution)
{
	struct runs *runs = execution->runs;
	bool over;

	if (execution->result.phase != EXECUTION_OVER) {
		execution_cut_short(execution);
		host_wait(runs->host, is_gone, execution, RANKS_LIMIT_S);
	}
	host_wait(runs->host, has_answers, execution, 0); /* the host may be reading in the world */
	end_job(execution);
	execution_end_children(execution);
	over = execution->result.phase == EXECUTION_OVER && !execution_begins_again(execution)
	       && !runs->stopped;
	if (!held_ranks_keep(&execution->placement, over) && execution->placement.directory)
		runs->host->operations->world_remove(runs->host, execution->placement.number);
	if (execution->placement.launched)
		sites_forget(runs->sites, site_owner_of(execution, 0).job);
	execution_free(execution);
}

/* --- accessors -------------------------------------------------------------------------------- */

const struct run_result *execution_result(const struct execution *execution)
{
	return &execution->result;
}

bool execution_is_running(const struct execution *execution)
{
	return phase_is_running(execution->result.phase);
}

struct world *execution_world(const struct execution *execution)
{
	return execution->world;
}

const struct rank_end *execution_ends(const struct execution *execution)
{
	return execution->ends;
}

void *execution_owner(const struct execution *execution)
{
	return execution->owner;
}

guint32 execution_number(const struct execution *execution)
{
	return execution->placement.number;
}

pid_t execution_pid(const struct execution *execution, int rank)
{
	return execution->placement.slots[rank].pid;
}

double execution_seconds(const struct execution *execution)
{
	return (double)(execution_now(execution) - execution->placement.started) / G_USEC_PER_SEC;
}

double execution_silent_seconds(const struct execution *execution)
{
	gint64 since = MAX(execution->liveness.heard, execution->placement.started);

	if (execution->result.phase != EXECUTION_STARTING && !execution_is_running(execution))
		return 0;
	return (double)(execution_now(execution) - since) / G_USEC_PER_SEC;
}

const struct wire_blocking_call *execution_blocking_call(const struct execution *execution,
                                                         int rank)
{
	return execution->result.stalled && execution->result.livelock
	               ? stall_spin(execution->liveness.stall, rank)
	               : stall_blocking_call(execution->liveness.stall, rank);
}

struct place execution_site(const struct execution *execution, int rank, guint64 address)
{
	const struct site_owner owner = site_owner_of(execution, rank);

	return sites_find(execution->runs->sites, &owner, address);
}

struct place execution_call_place(const struct execution *execution, int rank, guint32 call)
{
	const struct world_call *info = world_call_info(execution->world, rank, call);

	return info ? execution_site(execution, rank, info->site) : (struct place){0};
}

void execution_add_frames(const struct execution *execution, int rank, guint64 address,
                          GArray *frames)
{
	const struct site_owner owner = site_owner_of(execution, rank);

	sites_add_frames(execution->runs->sites, &owner, address, frames);
}
