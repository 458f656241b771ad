#include "frozen.h"

#include <string.h>

#include "execution_internal.h"
#include "image.h"
#include "runs_internal.h"
#include "scheduler/tools/log.h"
#include "spare.h"

#define WORTH 2.0             /* restores, where it will be returned to at once */
#define WORTH_LEAPING 10.0    /* and where that is not so sure */
#define WORTH_PART (1.0 / 16) /* of all that lies behind, where snapshots add up */
#define WORTH_S 0.005         /* less is sooner run again than put back */
/* Where ranks are rewound instead, to the snapshot that they were forked from: those of a new one
 * are forked, and get a twin. It is told in both, for with rewinding there are few forks to go by,
 * and other processes may have come to want the processors since. */
#define WORTH_REWINDING_S 0.025
#define WORTH_REWINDING 2.0 /* times as many restores by forking */
#define WORTH_REWINDS 20.0  /* restores in place */

bool frozen_is_worth_it(const struct execution *execution)
{
	const struct runs *runs = execution->runs;
	double seconds = execution_ran(execution);
	double times = execution->strategy->leaps ? WORTH_LEAPING : WORTH;

	/* However long it took to come here: a snapshot would be the one it has come from. */
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

void frozen_note_cost(const struct execution *execution)
{
	struct runs *runs = execution->runs;
	double *lately = execution->rewound ? &runs->rewind_seconds : &runs->fork_seconds;
	double seconds = (double)(execution_now(execution) - execution->started) / G_USEC_PER_SEC;

	*lately = 0.5 * *lately + 0.5 * seconds;
}

struct frozen *frozen_new(struct execution *execution)
{
	struct runs *runs = execution->runs;
	struct frozen *frozen = g_new0(struct frozen, 1);
	int ranks = runs->ranks;

	frozen->runs = runs;
	frozen->world = world_copy(execution->world, world_options(execution->world), NULL);
	naming_copy(&frozen->naming, &execution->naming, ranks);
	frozen->number = execution->number;
	frozen->directory = g_strdup(execution->directory);
	frozen->stacked = execution->stacked;
	frozen->along = execution->strategy->repeats;
	frozen->launched = execution->launched;
	frozen->alone = true;
	frozen->parked_at = execution_now(execution);
	frozen->stood = execution->stood;
	frozen->ran = execution_ran(execution);
	frozen->behind = execution_ran_in_all(execution);
	frozen->parent = execution->from;
	frozen->links = g_memdup2(execution->links, (gsize)ranks * sizeof(*frozen->links));
	frozen->pids = g_memdup2(execution->pids, (gsize)ranks * sizeof(*frozen->pids));
	frozen->answered = g_new0(bool, ranks);
	frozen->spares = g_ptr_array_new();
	log_debug(LOG_SNAPSHOTS, "parking world %u after %u choices", frozen->number,
	          world_choices(frozen->world)->len);
	events_tell(runs->options.events, &(struct run_event){.kind = RUN_SNAPSHOT,
	                                                      .number = frozen->number,
	                                                      .world = frozen->world});
	if (frozen->parent)
		frozen->parent->children++;
	return frozen;
}

struct frozen *frozen_park(struct execution *execution)
{
	struct runs *runs = execution->runs;
	struct frozen *frozen = frozen_new(execution);
	int ranks = runs->ranks;

	frozen->memory = runs->host->operations->snapshot_new(runs->host, ranks, frozen->directory);
	if (frozen->launched) /* what becomes of them no longer depends on this execution */
		runs->job = g_steal_pointer(&execution->job);
	for (int rank = 0; rank < ranks; rank++)
		execution_order(execution, rank, &(struct wire_message){.type = WIRE_PARK});
	body_lose(execution->body);
	execution_set_body(execution, NULL);
	return frozen;
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

void frozen_enter_set(struct frozen *frozen)
{
	struct runs *runs = frozen->runs;

	if (frozen->images) {
		memset(frozen->links, 0, (gsize)runs->ranks * sizeof(struct host_link *));
	}
	for (int rank = 0; rank < runs->ranks; rank++)
		runs_assign(frozen->links[rank], LINK_KEEPER, frozen, rank);
	frozen->snapshot = snapshot_set_add(
		runs->set, position_of_world(frozen->world), frozen->images ? NULL : frozen->pids,
		frozen->rank_bytes + frozen->shared_bytes, frozen->ran, frozen);
	g_ptr_array_add(runs->frozen, frozen);
	if (!runs->root) {
		runs->root = frozen;
		runs->host->operations->keep_left_behind(runs->host);
	}
}

static void keep_files(struct frozen *frozen)
{
	g_autoptr(GError) error = NULL;

	if (!frozen->hazard
	    && !frozen->runs->host->operations->snapshot_complete(frozen->memory, &error))
		frozen->hazard = g_strdup(error->message);
}

bool frozen_is_whole(const struct frozen *frozen)
{
	for (int rank = 0; rank < frozen->runs->ranks; rank++)
		if (!frozen->links[rank])
			return false;
	return true;
}

bool frozen_parked(struct frozen *frozen, int rank, const struct wire_parked *parked)
{
	frozen->runs->host->operations->snapshot_add(frozen->memory, rank, frozen->pids[rank],
	                                             parked);
	if (parked->hazard && *parked->hazard && !frozen->hazard)
		frozen->hazard = g_strdup_printf("rank %d: %s", rank, parked->hazard);
	frozen->alone &= parked->alone;
	frozen->parked++;
	frozen->answered[rank] = true;
	if (frozen->parked < frozen->runs->ranks)
		return false;
	keep_files(frozen);
	if (!frozen->hazard)
		frozen_enter_set(frozen);
	return true;
}

void frozen_let_go(struct execution *execution)
{
	if (execution->from)
		execution->from->children--;
	execution->from = NULL;
}

/* All go when a job ends, the copies of which have ended, too. */
static void forget_frozen(struct frozen *frozen)
{
	GHashTableIter iter;
	void *execution;

	g_hash_table_iter_init(&iter, frozen->runs->all);
	while (g_hash_table_iter_next(&iter, NULL, &execution))
		if (((struct execution *)execution)->from == frozen)
			frozen_let_go(execution);
}

static void frozen_free(struct frozen *frozen)
{
	if (frozen->children > 0)
		forget_frozen(frozen);
	spare_end_all(frozen);
	g_ptr_array_unref(frozen->spares);
	if (frozen->parent)
		frozen->parent->children--;
	world_free(frozen->world);
	naming_release(&frozen->naming);
	if (frozen->memory)
		frozen->runs->host->operations->snapshot_free(frozen->memory);
	body_let_go(frozen->body);
	g_free(frozen->images);
	g_free(frozen->shared);
	g_free(frozen->directory);
	g_free(frozen->hazard);
	g_free(frozen->answered);
	g_free(frozen->links);
	g_free(frozen->pids);
	g_free(frozen);
}

void frozen_resume(struct frozen *frozen, struct execution *execution)
{
	for (int rank = 0; rank < frozen->runs->ranks; rank++)
		host_send(frozen->links[rank], &(struct wire_message){.type = WIRE_RESUME});
	if (frozen->launched)
		execution->job = g_steal_pointer(&frozen->runs->job);
	frozen_free(frozen);
	execution->result.state = world_calls(execution->world, 0) > 1 ? EXECUTION_RUNNING
	                                                               : EXECUTION_STARTING;
	if (execution->result.state == EXECUTION_RUNNING && world_holds(execution->world))
		world_let_held_go(execution->world);
}

void frozen_fork_rank(struct frozen *frozen, int rank, struct execution *execution)
{
	struct wire_message message = {.type = WIRE_RESTORE};
	g_autofree struct wire_clone *clones = NULL;

	message.restore.count = frozen->runs->host->operations->snapshot_clones(frozen->memory,
	                                                                        rank, &clones);
	message.restore.world = execution->number;
	message.restore.rank = rank;
	message.restore.directory = execution->directory;
	message.restore.clones = clones;
	host_send(frozen->links[rank], &message);
	frozen->runs->rewinding.forked++;
}

bool frozen_restore(struct frozen *frozen, struct execution *execution, GError **error)
{
	struct runs *runs = frozen->runs;
	g_autofree char *directory = NULL;
	guint32 number;

	if (frozen->images) {
		image_restore(frozen, execution);
		return true;
	}
	if (spare_rewind(frozen, execution))
		return true;
	number = runs->next_world++;
	directory = runs->host->operations->world_add(runs->host, number, error);
	if (!directory)
		return false;
	log_debug(LOG_SNAPSHOTS, "restoring world %u as %u", frozen->number, number);
	execution_place(execution, number, directory, frozen);
	execution_set_body(execution, body_new(runs->ranks));
	if (!runs->host->operations->snapshot_restore(frozen->memory, directory, error))
		return false;
	for (int rank = 0; rank < runs->ranks; rank++)
		frozen_fork_rank(frozen, rank, execution);
	return true;
}

void frozen_release(struct frozen *frozen)
{
	struct wire_message release = {.type = WIRE_RELEASE};

	struct runs *runs;

	if (!frozen)
		return;
	runs = frozen->runs;
	log_debug(LOG_SNAPSHOTS, "releasing world %u", frozen->number);
	if (frozen->images && frozen->snapshot)
		image_forget(frozen);
	if (frozen->snapshot)
		snapshot_set_remove(runs->set, frozen->snapshot);
	g_ptr_array_remove(runs->frozen, frozen);
	if (runs->root == frozen)
		runs->root = NULL;
	for (int rank = 0; rank < runs->ranks && !frozen->images; rank++) {
		if (!frozen->links[rank])
			continue;
		host_send(frozen->links[rank], &release);
		runs_assign(frozen->links[rank], LINK_IGNORED, runs, rank);
	}
	if (!frozen->launched && !frozen->images)
		runs->host->operations->world_remove(runs->host, frozen->number);
	frozen_free(frozen);
}
