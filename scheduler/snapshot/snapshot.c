#include "snapshot.h"

#include <string.h>

#include "disk_save.h"
#include "explorer/rank_name.h"
#include "held_ranks.h"
#include "image.h"
#include "process_group.h"
#include "scheduler/tools/log.h"
#include "snapshots_internal.h"

struct snapshot *snapshot_new(const struct snapshot_subject *subject)
{
	const struct placement *placement = subject->placement;
	struct snapshots *snapshots = placement->snapshots;
	struct snapshot *snapshot = g_new0(struct snapshot, 1);
	int ranks = snapshots->ranks;

	snapshot->snapshots = snapshots;
	snapshot->world = world_copy(subject->world, world_options(subject->world), NULL);
	state_fingerprint_copy(&snapshot->fingerprint, subject->fingerprint, ranks);
	snapshot->number = placement->number;
	snapshot->directory = g_strdup(placement->directory);
	snapshot->stacked = subject->stacked;
	snapshot->sealed = subject->sealed;
	snapshot->along = subject->along;
	snapshot->launched = placement->launched;
	snapshot->unshared = true;
	snapshot->parked_at = host_now(snapshots->host);
	snapshot->idle_time = subject->idle_time;
	snapshot->ran = subject->ran;
	snapshot->behind = subject->behind;
	snapshot->parent = placement->from;
	snapshot->links = g_new0(struct host_link *, ranks);
	for (int rank = 0; rank < ranks; rank++)
		snapshot->links[rank] = placement->slots[rank].link;
	snapshot->pids = placement_pids(placement);
	snapshot->answered = g_new0(bool, ranks);
	snapshot->held_ranks = g_ptr_array_new();
	log_debug(LOG_SNAPSHOTS, "parking world %u after %u choices", snapshot->number,
	          world_choices(snapshot->world)->len);
	snapshots->client->made(snapshots->user, snapshot);
	if (snapshot->parent)
		snapshot->parent->children++;
	g_ptr_array_add(snapshots->unfinished, snapshot);
	return snapshot;
}

struct snapshot *snapshot_park(const struct snapshot_subject *subject)
{
	struct placement *placement = subject->placement;
	struct snapshots *snapshots = placement->snapshots;
	struct snapshot *snapshot = snapshot_new(subject);

	snapshot->memory = snapshots->host->operations->snapshot_new(
		snapshots->host, snapshots->ranks, snapshot->directory);
	for (int rank = 0; rank < snapshots->ranks; rank++)
		placement_order(placement, rank, &(struct wire_message){.type = WIRE_PARK});
	process_group_lose(placement->group); /* a rank may still have to send HELLO to it */
	return snapshot;
}

struct position *snapshot_position(const struct world *world)
{
	const struct world_options *options = world_options(world);
	struct position *position = position_of(options->ranks, options->nodes, options->buffering,
	                                        options->collectives, world_choices(world));

	for (int rank = 0; rank < options->ranks; rank++)
		position_cut(position, rank, world_calls(world, rank));
	return position;
}

void snapshot_enter_set(struct snapshot *snapshot)
{
	struct snapshots *snapshots = snapshot->snapshots;

	if (snapshot->images)
		memset(snapshot->links, 0, (gsize)snapshots->ranks * sizeof(*snapshot->links));
	for (int rank = 0; rank < snapshots->ranks; rank++)
		placement_assign(snapshot->links[rank], LINK_KEEPER, snapshot, rank);
	snapshot->entry = snapshot_set_add(snapshots->set, snapshot_position(snapshot->world),
	                                   snapshot->images ? NULL : snapshot->pids,
	                                   snapshot->rank_bytes + snapshot->shared_bytes,
	                                   snapshot->ran, snapshot);
	g_ptr_array_remove_fast(snapshots->unfinished, snapshot);
	g_ptr_array_add(snapshots->all, snapshot);
	if (!snapshots->root) {
		snapshots->root = snapshot;
		snapshots->host->operations->keep_left_behind(snapshots->host);
	}
}

static void keep_files(struct snapshot *snapshot)
{
	g_autoptr(GError) error = NULL;

	if (!snapshot->hazard
	    && !snapshot->snapshots->host->operations->snapshot_complete(snapshot->memory, &error))
		snapshot->hazard = g_strdup(error->message);
}

bool snapshot_is_whole(const struct snapshot *snapshot)
{
	for (int rank = 0; rank < snapshot->snapshots->ranks; rank++)
		if (!snapshot->links[rank])
			return false;
	return true;
}

bool snapshot_parked(struct snapshot *snapshot, int rank, const struct wire_parked *parked)
{
	snapshot->snapshots->host->operations->snapshot_add(snapshot->memory, rank,
	                                                    snapshot->pids[rank], parked);
	if (parked->hazard && *parked->hazard && !snapshot->hazard)
		snapshot->hazard = g_strdup_printf("rank %s: %s", rank_name(rank), parked->hazard);
	snapshot->unshared &= parked->unshared;
	snapshot->parked++;
	snapshot->answered[rank] = true;
	if (snapshot->parked < snapshot->snapshots->ranks)
		return false;
	keep_files(snapshot);
	if (!snapshot->hazard)
		snapshot_enter_set(snapshot);
	return true;
}

/* When a job ends, all its snapshots are freed, even if executions remain that are their copies, go
 * back to them, or are being parked. */
static void forget_snapshot(const struct snapshot *snapshot)
{
	const GPtrArray *unfinished = snapshot->snapshots->unfinished;
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, snapshot->snapshots->placements);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct placement *placement = value;

		if (placement->from == snapshot)
			placement_detach(placement);
		if (placement->image == snapshot)
			placement->image = NULL;
	}
	for (guint i = 0; i < unfinished->len; i++) {
		struct snapshot *child = unfinished->pdata[i];

		if (child->parent == snapshot)
			child->parent = NULL;
	}
}

static void snapshot_free(struct snapshot *snapshot)
{
	disk_save_lose(snapshot);
	g_ptr_array_remove_fast(snapshot->snapshots->unfinished, snapshot);
	if (snapshot->children > 0)
		forget_snapshot(snapshot);
	held_ranks_end_all(snapshot);
	g_ptr_array_unref(snapshot->held_ranks);
	if (snapshot->parent)
		snapshot->parent->children--;
	world_free(snapshot->world);
	state_fingerprint_release(&snapshot->fingerprint);
	if (snapshot->memory)
		snapshot->snapshots->host->operations->snapshot_free(snapshot->memory);
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

void snapshot_resume(struct snapshot *snapshot)
{
	for (int rank = 0; rank < snapshot->snapshots->ranks; rank++)
		host_send(snapshot->links[rank], &(struct wire_message){.type = WIRE_RESUME});
	snapshot_free(snapshot);
}

void snapshot_order_fork(const struct snapshot *snapshot, const struct wire_restore *order)
{
	struct wire_message message = {.type = WIRE_RESTORE, .restore = *order};
	g_autofree struct wire_clone *clones = NULL;

	message.restore.count = snapshot->snapshots->host->operations->snapshot_clones(
		snapshot->memory, order->rank, &clones);
	message.restore.clones = clones;
	host_send(snapshot->links[order->rank], &message);
}

void snapshot_fork_rank(struct snapshot *snapshot, int rank, const struct placement *placement)
{
	snapshot_order_fork(snapshot, &(struct wire_restore){.world = placement->number,
	                                                     .rank = rank,
	                                                     .directory = placement->directory});
	snapshot->snapshots->rewinding.forked++;
}

bool snapshot_restore(struct snapshot *snapshot, struct placement *placement, GError **error)
{
	struct snapshots *snapshots = snapshot->snapshots;
	const struct host_operations *host = snapshots->host->operations;
	g_autofree char *directory = NULL;
	guint32 number;

	if (snapshot->images) {
		image_restore(snapshot, placement);
		return true;
	}
	if (held_ranks_rewind(snapshot, placement))
		return true;
	number = snapshots_next_world(snapshots);
	directory = host->world_add(snapshots->host, number, error);
	if (!directory)
		return false;
	log_debug(LOG_SNAPSHOTS, "restoring world %u as %u", snapshot->number, number);
	placement_put(placement, number, directory, snapshot, snapshot, false);
	placement_set_group(placement, process_group_new(snapshots->ranks));
	if (!host->snapshot_restore(snapshot->memory, directory, error))
		return false;
	for (int rank = 0; rank < snapshots->ranks; rank++)
		snapshot_fork_rank(snapshot, rank, placement);
	return true;
}

/* The keepers end by themselves. */
static void release_keepers(const struct snapshot *snapshot)
{
	struct snapshots *snapshots = snapshot->snapshots;

	for (int rank = 0; rank < snapshots->ranks; rank++) {
		if (!snapshot->links[rank])
			continue;
		host_send(snapshot->links[rank], &(struct wire_message){.type = WIRE_RELEASE});
		placement_assign(snapshot->links[rank], LINK_IGNORED, snapshots, rank);
	}
	if (!snapshot->launched)
		snapshots->host->operations->world_remove(snapshots->host, snapshot->number);
}

void snapshot_release(struct snapshot *snapshot)
{
	struct snapshots *snapshots;

	if (!snapshot)
		return;
	snapshots = snapshot->snapshots;
	log_debug(LOG_SNAPSHOTS, "releasing world %u", snapshot->number);
	if (snapshot->images && snapshot->entry)
		image_forget(snapshot);
	if (snapshot->entry)
		snapshot_set_remove(snapshots->set, snapshot->entry);
	g_ptr_array_remove(snapshots->all, snapshot);
	if (snapshots->root == snapshot)
		snapshots->root = NULL;
	if (!snapshot->images)
		release_keepers(snapshot);
	snapshot_free(snapshot);
}

void snapshot_give_up(struct snapshot *snapshot, struct placement *placement)
{
	for (int rank = 0; !snapshot->images && rank < snapshot->snapshots->ranks; rank++) {
		placement->slots[rank].link = NULL; /* it belongs to the snapshot */
		held_ranks_forget(placement->group, rank);
	}
	if (!snapshot->images)
		placement->connected = 0;
	snapshot_release(snapshot);
}
