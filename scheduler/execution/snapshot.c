#include "snapshot.h"

#include <string.h>

#include "execution_internal.h"
#include "held_ranks.h"
#include "image.h"
#include "runs_internal.h"
#include "scheduler/tools/log.h"

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

bool snapshot_is_worth_it(const struct execution *execution)
{
	const struct runs *runs = execution->runs;
	double seconds = execution_ran(execution);
	double times = execution->strategy->leaps ? WORTH_LEAPING : WORTH;

	/* The snapshot would equal the one that it began at. */
	if (execution->from && !execution->moved)
		return false;
	if (execution->strategy->stays
	    && (seconds < WORTH_PART * execution_ran_in_all(execution)
	        || !snapshot_set_has_room(runs->set, (guint)runs->ranks)))
		return false;
	if (!runs_rewind(runs))
		return seconds > MAX(WORTH_S, times * runs->fork_seconds);
	return seconds > WORTH_REWINDING_S && seconds > WORTH_REWINDING * times * runs->fork_seconds
	       && seconds > WORTH_REWINDS * runs->rewind_seconds;
}

void snapshot_note_cost(const struct execution *execution)
{
	struct runs *runs = execution->runs;
	double *lately = execution->rewound ? &runs->rewind_seconds : &runs->fork_seconds;
	double seconds = (double)(execution_now(execution) - execution->started) / G_USEC_PER_SEC;

	*lately = 0.5 * *lately + 0.5 * seconds;
}

struct snapshot *snapshot_new(struct execution *execution)
{
	struct runs *runs = execution->runs;
	struct snapshot *snapshot = g_new0(struct snapshot, 1);
	int ranks = runs->ranks;

	snapshot->runs = runs;
	snapshot->world = world_copy(execution->world, world_options(execution->world), NULL);
	state_fingerprint_copy(&snapshot->fingerprint, &execution->fingerprint, ranks);
	snapshot->number = execution->number;
	snapshot->directory = g_strdup(execution->directory);
	snapshot->stacked = execution->stacked;
	snapshot->along = execution->strategy->repeats;
	snapshot->launched = execution->launched;
	snapshot->unshared = true;
	snapshot->parked_at = execution_now(execution);
	snapshot->idle_time = execution->idle_time;
	snapshot->ran = execution_ran(execution);
	snapshot->behind = execution_ran_in_all(execution);
	snapshot->parent = execution->from;
	snapshot->links = g_memdup2(execution->links, (gsize)ranks * sizeof(*snapshot->links));
	snapshot->pids = g_memdup2(execution->pids, (gsize)ranks * sizeof(*snapshot->pids));
	snapshot->answered = g_new0(bool, ranks);
	snapshot->held_ranks = g_ptr_array_new();
	log_debug(LOG_SNAPSHOTS, "parking world %u after %u choices", snapshot->number,
	          world_choices(snapshot->world)->len);
	events_emit(runs->options.events, &(struct run_event){.kind = RUN_SNAPSHOT,
	                                                      .number = snapshot->number,
	                                                      .world = snapshot->world});
	if (snapshot->parent)
		snapshot->parent->children++;
	return snapshot;
}

struct snapshot *snapshot_park(struct execution *execution)
{
	struct runs *runs = execution->runs;
	struct snapshot *snapshot = snapshot_new(execution);
	int ranks = runs->ranks;

	snapshot->memory = runs->host->operations->snapshot_new(runs->host, ranks,
	                                                        snapshot->directory);
	if (snapshot->launched) /* they no longer depend on this execution */
		runs->job = g_steal_pointer(&execution->job);
	for (int rank = 0; rank < ranks; rank++)
		execution_order(execution, rank, &(struct wire_message){.type = WIRE_PARK});
	process_group_lose(execution->group);
	execution_set_process_group(execution, NULL);
	return snapshot;
}

static struct position *position_of_world(const struct world *world)
{
	const struct world_options *options = world_options(world);
	struct position *position = position_of(options->ranks, options->buffering,
	                                        options->collectives, world_choices(world));

	for (int rank = 0; rank < options->ranks; rank++)
		position_cut(position, rank, world_calls(world, rank));
	return position;
}

void snapshot_enter_set(struct snapshot *snapshot)
{
	struct runs *runs = snapshot->runs;

	if (snapshot->images) {
		memset(snapshot->links, 0, (gsize)runs->ranks * sizeof(struct host_link *));
	}
	for (int rank = 0; rank < runs->ranks; rank++)
		runs_assign(snapshot->links[rank], LINK_KEEPER, snapshot, rank);
	snapshot->entry = snapshot_set_add(runs->set, position_of_world(snapshot->world),
	                                   snapshot->images ? NULL : snapshot->pids,
	                                   snapshot->rank_bytes + snapshot->shared_bytes,
	                                   snapshot->ran, snapshot);
	g_ptr_array_add(runs->snapshot, snapshot);
	if (!runs->root) {
		runs->root = snapshot;
		runs->host->operations->keep_left_behind(runs->host);
	}
}

static void keep_files(struct snapshot *snapshot)
{
	g_autoptr(GError) error = NULL;

	if (!snapshot->hazard
	    && !snapshot->runs->host->operations->snapshot_complete(snapshot->memory, &error))
		snapshot->hazard = g_strdup(error->message);
}

bool snapshot_is_whole(const struct snapshot *snapshot)
{
	for (int rank = 0; rank < snapshot->runs->ranks; rank++)
		if (!snapshot->links[rank])
			return false;
	return true;
}

bool snapshot_parked(struct snapshot *snapshot, int rank, const struct wire_parked *parked)
{
	snapshot->runs->host->operations->snapshot_add(snapshot->memory, rank, snapshot->pids[rank],
	                                               parked);
	if (parked->hazard && *parked->hazard && !snapshot->hazard)
		snapshot->hazard = g_strdup_printf("rank %d: %s", rank, parked->hazard);
	snapshot->unshared &= parked->unshared;
	snapshot->parked++;
	snapshot->answered[rank] = true;
	if (snapshot->parked < snapshot->runs->ranks)
		return false;
	keep_files(snapshot);
	if (!snapshot->hazard)
		snapshot_enter_set(snapshot);
	return true;
}

void snapshot_detach(struct execution *execution)
{
	if (execution->from)
		execution->from->children--;
	execution->from = NULL;
}

/* When a job ends, all its snapshots are freed, even if executions that are their copies remain. */
static void forget_snapshot(struct snapshot *snapshot)
{
	GHashTableIter iter;
	void *execution;

	g_hash_table_iter_init(&iter, snapshot->runs->all);
	while (g_hash_table_iter_next(&iter, NULL, &execution))
		if (((struct execution *)execution)->from == snapshot)
			snapshot_detach(execution);
}

static void snapshot_free(struct snapshot *snapshot)
{
	if (snapshot->children > 0)
		forget_snapshot(snapshot);
	held_ranks_end_all(snapshot);
	g_ptr_array_unref(snapshot->held_ranks);
	if (snapshot->parent)
		snapshot->parent->children--;
	world_free(snapshot->world);
	state_fingerprint_release(&snapshot->fingerprint);
	if (snapshot->memory)
		snapshot->runs->host->operations->snapshot_free(snapshot->memory);
	process_group_unref(snapshot->group);
	g_free(snapshot->images);
	g_free(snapshot->shared);
	g_free(snapshot->directory);
	g_free(snapshot->hazard);
	g_free(snapshot->answered);
	g_free(snapshot->links);
	g_free(snapshot->pids);
	g_free(snapshot);
}

void snapshot_resume(struct snapshot *snapshot, struct execution *execution)
{
	for (int rank = 0; rank < snapshot->runs->ranks; rank++)
		host_send(snapshot->links[rank], &(struct wire_message){.type = WIRE_RESUME});
	if (snapshot->launched)
		execution->job = g_steal_pointer(&snapshot->runs->job);
	snapshot_free(snapshot);
	execution_enter(execution, world_calls(execution->world, 0) > 1 ? EXECUTION_RUNNING
	                                                                : EXECUTION_STARTING);
	if (execution_is_running(execution) && world_holds(execution->world))
		world_let_held_go(execution->world);
}

void snapshot_fork_rank(struct snapshot *snapshot, int rank, struct execution *execution)
{
	struct wire_message message = {.type = WIRE_RESTORE};
	g_autofree struct wire_clone *clones = NULL;

	message.restore.count = snapshot->runs->host->operations->snapshot_clones(snapshot->memory,
	                                                                          rank, &clones);
	message.restore.world = execution->number;
	message.restore.rank = rank;
	message.restore.directory = execution->directory;
	message.restore.clones = clones;
	host_send(snapshot->links[rank], &message);
	snapshot->runs->rewinding.forked++;
}

bool snapshot_restore(struct snapshot *snapshot, struct execution *execution, GError **error)
{
	struct runs *runs = snapshot->runs;
	g_autofree char *directory = NULL;
	guint32 number;

	if (snapshot->images) {
		image_restore(snapshot, execution);
		return true;
	}
	if (held_ranks_rewind(snapshot, execution))
		return true;
	number = runs->next_world++;
	directory = runs->host->operations->world_add(runs->host, number, error);
	if (!directory)
		return false;
	log_debug(LOG_SNAPSHOTS, "restoring world %u as %u", snapshot->number, number);
	execution_place(execution, number, directory, snapshot);
	execution_set_process_group(execution, process_group_new(runs->ranks));
	if (!runs->host->operations->snapshot_restore(snapshot->memory, directory, error))
		return false;
	for (int rank = 0; rank < runs->ranks; rank++)
		snapshot_fork_rank(snapshot, rank, execution);
	return true;
}

void snapshot_release(struct snapshot *snapshot)
{
	struct wire_message release = {.type = WIRE_RELEASE};

	struct runs *runs;

	if (!snapshot)
		return;
	runs = snapshot->runs;
	log_debug(LOG_SNAPSHOTS, "releasing world %u", snapshot->number);
	if (snapshot->images && snapshot->entry)
		image_forget(snapshot);
	if (snapshot->entry)
		snapshot_set_remove(runs->set, snapshot->entry);
	g_ptr_array_remove(runs->snapshot, snapshot);
	if (runs->root == snapshot)
		runs->root = NULL;
	for (int rank = 0; rank < runs->ranks && !snapshot->images; rank++) {
		if (!snapshot->links[rank])
			continue;
		host_send(snapshot->links[rank], &release);
		runs_assign(snapshot->links[rank], LINK_IGNORED, runs, rank);
	}
	if (!snapshot->launched && !snapshot->images)
		runs->host->operations->world_remove(runs->host, snapshot->number);
	snapshot_free(snapshot);
}
