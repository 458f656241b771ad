#include "held_ranks.h"

#include "explorer/rank_name.h"
#include "image.h"
#include "scheduler/tools/log.h"
#include "snapshots_internal.h"

#define PROCESSES_OF_ONE 2 /* a held rank and its twin */

static void remove_rank(struct process_group *group, int rank)
{
	struct rank_process *one = &group->ranks[rank];

	group->held -= one->link != NULL;
	one->link = NULL;
	one->rewinding = one->ahead = false;
}

/* Ends the ranks that are left; `rewinding`: only those that have not answered REWIND. */
static void end_ranks(struct process_group *group, bool rewinding)
{
	const struct wire_message end = {.type = WIRE_END};

	for (int rank = 0; rank < group->count; rank++) {
		struct host_link *link = group->ranks[rank].link;

		if (!link || (rewinding && !group->ranks[rank].rewinding))
			continue;
		placement_assign(link, LINK_IGNORED, group->snapshots, rank);
		host_send(link, &end);
		remove_rank(group, rank);
	}
}

/* Gives the group up. */
static void end_held(struct process_group *group)
{
	end_ranks(group, false);
	process_group_lose(group);
	process_group_unref(group);
}

static void note_refusal(struct snapshots *snapshots, int rank, const char *hazard)
{
	snapshots->rewinding.refused++;
	snapshots->rewinding.refused_in_turn++;
	if (!snapshots->rewinding.reason)
		snapshots->rewinding.reason = g_strdup_printf("rank %s: %s", rank_name(rank),
		                                              hazard);
	log_debug(LOG_SNAPSHOTS, "rank %d is not rewound: %s", rank, hazard);
}

void held_ranks_add(struct placement *placement, int rank, const struct wire_held *held)
{
	struct snapshots *snapshots = placement->snapshots;
	const struct rank_slot *slot = &placement->slots[rank];
	struct process_group *group;
	struct rank_process *one;

	if (held->hazard && *held->hazard) {
		note_refusal(snapshots, rank, held->hazard);
		return;
	}
	if (!placement->group)
		placement_set_group(placement, process_group_new(snapshots->ranks));
	group = placement->group;
	group->snapshots = snapshots;
	group->placement = placement;
	group->number = placement->number;
	group->images = snapshots->images;
	one = &group->ranks[rank];
	group->held += !one->link; /* else it has not answered REWIND, and is ended later */
	one->link = slot->link;
	one->pid = slot->pid;
	one->inside = slot->inside;
	one->unshared = held->unshared;
	one->ahead = one->ended = false;
	placement_assign(slot->link, LINK_HELD, group, rank);
	snapshots->client->held(placement->execution, rank);
}

bool held_ranks_keep(struct placement *placement, bool over)
{
	struct process_group *group = g_steal_pointer(&placement->group);
	struct snapshot *snapshot = placement->from;
	struct snapshots *snapshots = placement->snapshots;
	int processes;

	if (!group)
		return false;
	group->placement = NULL;
	g_free(group->directory);
	group->directory = g_strdup(placement->directory);
	end_ranks(group, true);
	if (group->held < snapshots->ranks)
		process_group_lose(group);
	processes = PROCESSES_OF_ONE * group->held;
	if (snapshot && snapshot->entry && snapshots->rewinds && over && group->held > 0
	    && (image_has_any(snapshots, group, false)
	        || snapshot_set_has_room(snapshots->set, (guint)processes))) {
		group->counted = processes;
		snapshot_set_count_beside(snapshots->set, processes);
		g_ptr_array_add(snapshot->held_ranks, group);
		return true;
	}
	end_held(group);
	return false;
}

/* Takes a group from its snapshot. */
static struct process_group *steal_held(struct snapshot *snapshot, guint index)
{
	struct process_group *group = g_ptr_array_steal_index_fast(snapshot->held_ranks, index);

	snapshot_set_count_beside(snapshot->snapshots->set, -group->counted);
	return group;
}

static struct process_group *last_held(struct snapshot *snapshot)
{
	return steal_held(snapshot, snapshot->held_ranks->len - 1);
}

bool held_ranks_wait(const struct snapshot *snapshot, const struct process_group *group)
{
	return group->held == group->count && g_ptr_array_find(snapshot->held_ranks, group, NULL);
}

void held_ranks_take(struct snapshot *snapshot, const struct process_group *group)
{
	guint index;

	if (g_ptr_array_find(snapshot->held_ranks, group, &index))
		steal_held(snapshot, index);
}

static void end_last(struct snapshot *snapshot)
{
	struct process_group *group = last_held(snapshot);

	snapshot->snapshots->host->operations->world_remove(snapshot->snapshots->host,
	                                                    group->number);
	end_held(group);
}

static struct process_group *take_held(struct snapshot *snapshot)
{
	while (snapshot->held_ranks->len > 0) {
		const struct process_group *last =
			snapshot->held_ranks->pdata[snapshot->held_ranks->len - 1];

		if (last->held > 0)
			return last_held(snapshot);
		end_last(snapshot);
	}
	return NULL;
}

/* Whether the first orders may follow REWIND at once. Then a rank can run before another is
 * rewound, which must not matter to either. */
static bool may_go_ahead(const struct snapshot *snapshot, const struct process_group *held)
{
	if (!snapshot->unshared || held->images)
		return false;
	for (int rank = 0; rank < snapshot->snapshots->ranks; rank++)
		if (!held->ranks[rank].link || !held->ranks[rank].unshared)
			return false;
	return true;
}

/* Counts ranks that will send HELLO as connected. */
static void go_ahead(struct placement *placement, struct process_group *held)
{
	const int ranks = held->snapshots->ranks;

	for (int rank = 0; rank < ranks; rank++) {
		if (!held->ranks[rank].link)
			continue;
		held->ranks[rank].ahead = true;
		placement->slots[rank].link = held->ranks[rank].link;
		placement->slots[rank].pid = held->ranks[rank].pid;
	}
	placement->connected = ranks;
	placement->restored = host_now(held->snapshots->host);
	held->snapshots->client->connected(placement->execution);
}

/* Gives the world of held ranks a new number, and puts what they share back as it was at the
 * snapshot. Returns its directory, or NULL: the held ranks are ended. */
static char *renew_world(struct snapshot *snapshot, struct process_group *held, guint32 number)
{
	struct snapshots *snapshots = snapshot->snapshots;
	const struct host_operations *host = snapshots->host->operations;
	g_autofree bool *stays = g_new(bool, snapshots->ranks);
	g_autoptr(GError) error = NULL;
	g_autofree char *directory = NULL;

	for (int rank = 0; rank < snapshots->ranks; rank++)
		stays[rank] = held->ranks[rank].link != NULL;
	directory = host->world_rename(snapshots->host, held->number, number, stays,
	                               snapshots->ranks, &error);
	if (directory)
		held->number = number;
	if (directory && host->snapshot_rewind(snapshot->memory, directory, &error))
		return g_steal_pointer(&directory);
	note_refusal(snapshots, 0, error->message);
	host->world_remove(snapshots->host, held->number);
	end_held(held);
	return NULL;
}

/* With images a rank may be in a call, and read ahead; then WELCOME answers HELLO. */
static void order_rewind(struct placement *placement, struct process_group *held, int rank,
                         const struct wire_message *order)
{
	const struct snapshots_client *client = held->snapshots->client;

	if (!held->ranks[rank].link) {
		snapshot_fork_rank(placement->from, rank, placement);
		return;
	}
	host_send(held->ranks[rank].link, order);
	held->ranks[rank].rewinding = true;
	placement->slots[rank].welcomed = !held->images;
	if (!held->images)
		client->welcome(placement->execution, rank, held->ranks[rank].link);
}

bool held_ranks_rewind(struct snapshot *snapshot, struct placement *placement)
{
	struct snapshots *snapshots = snapshot->snapshots;
	struct wire_message order = {.type = WIRE_REWIND};
	struct process_group *held = take_held(snapshot);
	g_autofree char *directory = NULL;

	if (!held)
		return false;
	order.rewind.world = snapshots_next_world(snapshots);
	order.rewind.follows = may_go_ahead(snapshot, held);
	directory = renew_world(snapshot, held, order.rewind.world);
	if (!directory)
		return false;
	log_debug(LOG_SNAPSHOTS, "rewinding world %u as %u, %d ranks in place%s", snapshot->number,
	          order.rewind.world, held->held,
	          order.rewind.follows ? ", and their first orders follow at once" : "");
	placement_put(placement, order.rewind.world, directory, snapshot, snapshot, true);
	placement_set_group(placement, held);
	held->placement = placement;
	for (int rank = 0; rank < snapshots->ranks; rank++)
		order_rewind(placement, held, rank, &order);
	held->images = snapshots->images;
	if (order.rewind.follows)
		go_ahead(placement, held);
	return true;
}

/* A rank could not be rewound: its keeper forks another one. */
static void fork_instead(struct process_group *held, int rank, const char *hazard)
{
	struct placement *placement = held->placement;
	const bool ordered = held->ranks[rank].ahead;

	remove_rank(held, rank);
	process_group_lose(held);
	if (!placement)
		return; /* it was waiting at its snapshot */
	note_refusal(held->snapshots, rank, hazard);
	placement->slots[rank].welcomed = false;
	if (held->snapshots->client->not_rewound(placement->execution, rank, ordered))
		snapshot_fork_rank(placement->from, rank, placement);
}

bool held_ranks_child_ended(struct snapshots *snapshots, int rank, const struct wire_child *child)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, snapshots->placements);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct placement *placement = value;
		struct process_group *held = placement->group;

		if (!held || !held->ranks[rank].rewinding || held->ranks[rank].pid != child->pid)
			continue;
		held->ranks[rank].ended = true;
		held->ranks[rank].status = child->status;
		return true;
	}
	return false;
}

static bool any_is_ahead(const struct process_group *held)
{
	for (int rank = 0; rank < held->count; rank++)
		if (held->ranks[rank].ahead)
			return true;
	return false;
}

bool held_ranks_is_ahead(const struct process_group *held)
{
	return held && held->images && any_is_ahead(held);
}

/* HELLO of a rank that counted as connected. */
static void note_rewound(struct process_group *held, struct host_link *link,
                         const struct wire_hello *hello)
{
	struct placement *placement = held->placement;
	const struct snapshots_client *client = held->snapshots->client;

	log_debug(LOG_RANKS, "rank %d of world %u is rewound", hello->rank, hello->world);
	placement_assign(link, LINK_RANK, placement->execution, hello->rank);
	client->located(placement->execution, hello->rank, hello->pid, hello->inside);
	if (any_is_ahead(held))
		return;
	placement_note_restored(placement);
	if (held->images)
		client->advance(placement->execution); /* it may be at rest */
}

/* The rank is already what it has to become. It counts as connected. */
static void keep_in_place(struct process_group *held, int rank)
{
	struct placement *placement = held->placement;
	struct host_link *link = held->ranks[rank].link;
	const struct rank_process known = held->ranks[rank];

	remove_rank(held, rank);
	placement_assign(link, LINK_RANK, placement->execution, rank);
	placement->slots[rank].link = link;
	placement->slots[rank].pid = known.pid;
	held->ranks[rank].owed = true;
	placement->connected++;
	held->snapshots->client->located(placement->execution, rank, known.pid, known.inside);
}

void held_ranks_rewind_to_images(struct process_group *held, const guint32 *images, bool ahead)
{
	struct placement *placement = held->placement;
	struct wire_message order = {.type = WIRE_REWIND};
	int ranks = held->snapshots->ranks;

	order.rewind.world = held->number;
	order.rewind.follows = ahead;
	for (int rank = 0; rank < ranks; rank++) {
		if (process_group_stays(held, rank) == images[rank]
		    && (ahead || placement->connected + 1 < ranks)) {
			keep_in_place(held, rank);
			continue;
		}
		order.rewind.image = images[rank];
		host_send(held->ranks[rank].link, &order);
		held->ranks[rank].rewinding = true;
		if (!ahead)
			continue;
		process_group_rewound(held, rank, images[rank]);
		held->snapshots->client->welcome(placement->execution, rank,
		                                 held->ranks[rank].link);
	}
	if (ahead)
		go_ahead(placement, held);
}

struct host_link *held_ranks_link(const struct process_group *held, int rank, pid_t *ret_process)
{
	if (!held || !held->ranks[rank].link)
		return NULL;
	*ret_process = held->ranks[rank].pid;
	return held->ranks[rank].link;
}

/* The rank was rewound. It may have ended since: its keeper reports that on another connection. */
static void on_rewound(struct host_link *link, const struct wire_hello *hello)
{
	struct process_group *held = link->owner;
	struct snapshots *snapshots = held->snapshots;
	struct placement *placement = held->placement;
	struct rank_process known = held->ranks[link->rank];
	int rank = link->rank;

	remove_rank(held, rank);
	if (!known.ahead)
		process_group_rewound(placement->group, rank,
		                      placement->image ? placement->image->images[rank] : 0);
	placement->slots[rank].pid = hello->pid; /* the number under which it is known */
	snapshots->rewinding.rewound++;
	snapshots->rewinding.refused_in_turn = 0;
	if (known.ahead) {
		note_rewound(held, link, hello);
	} else {
		placement_assign(link, LINK_NEW, snapshots->user, rank);
		snapshots->client->hello(snapshots->user, link, hello);
	}
	if (known.ended)
		snapshots->client->ended(placement->execution, rank, known.status);
}

void held_ranks_message(struct host_link *link, const struct wire_message *message)
{
	struct process_group *held = link->owner;
	struct snapshots *snapshots = held->snapshots;
	int rank = link->rank;

	if (message->type == WIRE_HELLO && held->placement
	    && message->hello.world == held->placement->number && message->hello.rank == rank) {
		on_rewound(link, &message->hello);
	} else if (message->type == WIRE_HELD && message->held.hazard && *message->held.hazard) {
		placement_assign(link, LINK_IGNORED, snapshots, rank);
		fork_instead(held, rank, message->held.hazard);
	} else {
		snapshots->client->fail(snapshots->user, rank,
		                        "an impossible report while it was held");
	}
}

void held_ranks_closed(struct process_group *held, int rank)
{
	fork_instead(held, rank, "its process was gone");
}

void held_ranks_forget(struct process_group *held, int rank)
{
	if (!held || !held->ranks[rank].ahead)
		return;
	remove_rank(held, rank);
	process_group_lose(held);
}

void held_ranks_end_all(struct snapshot *snapshot)
{
	while (snapshot->held_ranks->len > 0)
		end_last(snapshot);
}

static bool any_has_images(const struct snapshot *snapshot)
{
	for (guint i = 0; i < snapshot->held_ranks->len; i++)
		if (image_has_any(snapshot->snapshots, snapshot->held_ranks->pdata[i], false))
			return true;
	return false;
}

bool held_ranks_end_oldest(struct snapshots *snapshots, bool images)
{
	for (guint i = 0; i < snapshots->all->len; i++) {
		struct snapshot *snapshot = snapshots->all->pdata[i];

		if (snapshot->held_ranks->len == 0 || (!images && any_has_images(snapshot)))
			continue;
		held_ranks_end_all(snapshot);
		return true;
	}
	return false;
}
