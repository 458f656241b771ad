#include "image.h"

#include <string.h>

#include "explorer/rank_name.h"
#include "held_ranks.h"
#include "scheduler/tools/log.h"
#include "snapshots_internal.h"

#define REFUSALS_MOST 16 /* executions without an image, until no more are asked for */

/* Returns the image of the group that was taken last; `named`: the last one that the user has asked
 * for. NULL: none. */
static struct snapshot *last_of(const struct snapshots *snapshots,
                                const struct process_group *group, bool named)
{
	for (guint i = snapshots->all->len; group && i-- > 0;) {
		struct snapshot *snapshot = snapshots->all->pdata[i];

		if (snapshot->images && snapshot->group == group && !image_is_lost(snapshot)
		    && (snapshot->wish == SNAPSHOT_NAMED || !named))
			return snapshot;
	}
	return NULL;
}

bool image_is_lost(const struct snapshot *snapshot)
{
	return snapshot->images && snapshot->losses != snapshot->group->losses;
}

/* --- taking ----------------------------------------------------------------------------------- */

bool image_is_possible(const struct placement *placement, bool stays)
{
	const struct snapshots *snapshots = placement->snapshots;

	return snapshots_rewind(snapshots) && snapshots->host->operations->snapshot_of_world
	       && placement->from && snapshots->images && placement->group
	       && (stays || snapshots->image_refusals < REFUSALS_MOST);
}

/* An idle rank that equals an image shares it, and is not asked. The last rank is asked in any
 * case: the execution goes on with its answer. */
static bool share(struct snapshot *snapshot, int rank)
{
	const guint32 image = process_group_stays(snapshot->group, rank);

	if (!image || snapshot->parked + 1 == snapshot->snapshots->ranks)
		return false;
	process_group_share(snapshot->group, rank, image);
	snapshot->images[rank] = image;
	snapshot->shared[rank] = true;
	snapshot->rank_bytes += snapshot->group->ranks[rank].bytes;
	snapshot->answered[rank] = true;
	snapshot->parked++;
	return true;
}

static void keep_shared(struct snapshot *snapshot)
{
	struct snapshots *snapshots = snapshot->snapshots;
	const struct snapshot *before = last_of(snapshots, snapshot->group, false);
	g_autoptr(GError) error = NULL;

	snapshot->memory = snapshots->host->operations->snapshot_of_world(
		snapshots->host, snapshot->directory, before ? before->memory : NULL,
		&snapshot->shared_bytes, &error);
	if (!snapshot->memory
	    || !snapshots->host->operations->snapshot_complete(snapshot->memory, &error))
		snapshot->hazard = g_strdup(error->message);
}

struct snapshot *image_begin(const struct snapshot_subject *subject)
{
	struct placement *placement = subject->placement;
	struct snapshot *snapshot = snapshot_new(subject);
	struct wire_message order = {.type = WIRE_IMAGE};
	int ranks = placement->snapshots->ranks;

	snapshot->images = g_new0(guint32, ranks);
	snapshot->shared = g_new0(bool, ranks);
	snapshot->group = process_group_ref(placement->group);
	snapshot->losses = placement->group->losses;
	snapshot->idle = process_group_is_idle_whole(snapshot->group);
	order.image.goes_on = snapshot->idle;
	for (int rank = 0; rank < ranks; rank++)
		if (!share(snapshot, rank))
			placement_order(placement, rank, &order);
	if (snapshot->idle)
		keep_shared(snapshot);
	return snapshot;
}

/* Ranks report the size of all their images. Subtracts the images before. */
static void note_bytes(struct snapshot *snapshot)
{
	const GPtrArray *all = snapshot->snapshots->all;
	guint64 before = 0;

	for (guint i = 0; i < all->len; i++) {
		const struct snapshot *other = all->pdata[i];

		if (other->images && other->group == snapshot->group && !image_is_lost(other))
			before += other->rank_bytes;
	}
	snapshot->rank_bytes -= MIN(before, snapshot->rank_bytes);
}

static void welcome(struct placement *placement, int rank)
{
	struct host_link *link = placement->slots[rank].link;

	if (link)
		placement->snapshots->client->welcome(placement->execution, rank, link);
}

bool image_answered(struct snapshot *snapshot, int rank, const struct wire_imaged *imaged)
{
	if (!snapshot || !snapshot->images || snapshot->answered[rank]
	    || imaged->image >= WIRE_IMAGES_MAX)
		return false;
	snapshot->answered[rank] = true;
	snapshot->images[rank] = imaged->image;
	process_group_imaged(snapshot->group, rank, imaged->image, imaged->idle, imaged->bytes);
	snapshot->rank_bytes += imaged->bytes;
	if ((!imaged->image || (imaged->hazard && *imaged->hazard)) && !snapshot->hazard)
		snapshot->hazard = g_strdup_printf("rank %s: %s", rank_name(rank), imaged->hazard);
	snapshot->parked++;
	return true;
}

bool image_complete(struct snapshot *snapshot, struct placement *placement)
{
	struct snapshots *snapshots = snapshot->snapshots;

	if (!snapshot->hazard && !snapshot->idle)
		keep_shared(snapshot);
	for (int rank = 0; !snapshot->idle && rank < snapshots->ranks; rank++)
		if (!snapshot->shared[rank])
			welcome(placement, rank);
	if (snapshot->hazard) {
		log_debug(LOG_SNAPSHOTS, "no image of world %u: %s", placement->number,
		          snapshot->hazard);
		snapshots->image_refusals++;
		image_forget(snapshot);
		return false;
	}
	snapshots->image_refusals = 0;
	note_bytes(snapshot);
	snapshot_enter_set(snapshot);
	return true;
}

/* The ranks of a process group, where they can get FORGET: they are held, or run. NULL: nowhere. */
static struct host_link **links_of(const struct snapshot *snapshot)
{
	const struct snapshots *snapshots = snapshot->snapshots;
	struct host_link **links = g_new0(struct host_link *, snapshots->ranks);
	GHashTableIter iter;
	void *value;

	if (snapshot->parent
	    && g_ptr_array_find(snapshot->parent->held_ranks, snapshot->group, NULL)) {
		for (int rank = 0; rank < snapshots->ranks; rank++)
			links[rank] = snapshot->group->ranks[rank].link;
		return links;
	}
	g_hash_table_iter_init(&iter, snapshots->placements);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct placement *placement = value;

		if (placement->group != snapshot->group
		    || !snapshots->client->is_running(placement->execution))
			continue;
		for (int rank = 0; rank < snapshots->ranks; rank++)
			links[rank] = placement->slots[rank].link;
		break;
	}
	return links;
}

void image_forget(struct snapshot *snapshot)
{
	g_autofree struct host_link **links = NULL;

	if (image_is_lost(snapshot))
		return;
	links = links_of(snapshot);
	for (int rank = 0; rank < snapshot->snapshots->ranks; rank++)
		if (snapshot->images[rank]
		    && process_group_forget(snapshot->group, rank, snapshot->images[rank]))
			host_send(links[rank],
			          &(struct wire_message){.type = WIRE_FORGET,
			                                 .forget = snapshot->images[rank]});
}

/* --- going back ------------------------------------------------------------------------------- */

bool image_has_any(const struct snapshots *snapshots, const struct process_group *group, bool named)
{
	return last_of(snapshots, group, named) != NULL;
}

bool image_serves(const struct snapshot *snapshot)
{
	return !image_is_lost(snapshot) && snapshot->parent
	       && held_ranks_wait(snapshot->parent, snapshot->group);
}

static bool put_shared_back(const struct snapshot *snapshot, const struct placement *placement)
{
	struct snapshots *snapshots = snapshot->snapshots;
	g_autoptr(GError) error = NULL;

	if (snapshots->host->operations->snapshot_rewind(snapshot->memory, placement->directory,
	                                                 &error))
		return true;
	log_debug(LOG_SNAPSHOTS, "an image is lost: %s", error->message);
	process_group_lose(placement->group);
	snapshots->client->begin_again(placement->execution);
	return false;
}

void image_restore(struct snapshot *snapshot, struct placement *placement)
{
	struct process_group *group = snapshot->group;
	const bool idle = process_group_is_idle_whole(group);

	held_ranks_take(snapshot->parent, group);
	log_debug(LOG_SNAPSHOTS, "rewinding world %u to an image%s", group->number,
	          idle ? ", and their first orders follow at once" : "");
	placement_put(placement, group->number, group->directory, snapshot->parent, snapshot, true);
	placement_set_group(placement, group);
	group->placement = placement;
	if (idle && !put_shared_back(snapshot, placement))
		return;
	if (!idle) {
		placement->image = snapshot;
		snapshot->children++;
	}
	held_ranks_rewind_to_images(group, snapshot->images, idle);
}

void image_connected(struct placement *placement)
{
	struct snapshot *snapshot = g_steal_pointer(&placement->image);

	snapshot->children--;
	if (!put_shared_back(snapshot, placement))
		return;
	for (int rank = 0; rank < placement->snapshots->ranks; rank++)
		if (!placement->group->ranks[rank].owed)
			welcome(placement, rank);
}
