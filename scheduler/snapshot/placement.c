#include "placement.h"

#include <string.h>

#include "process_group.h"
#include "snapshots_internal.h"

void placement_init(struct placement *placement, struct snapshots *snapshots,
                    struct execution *execution)
{
	*placement = (struct placement){.snapshots = snapshots, .execution = execution};
	placement->slots = g_new0(struct rank_slot, snapshots->ranks);
}

void placement_release(struct placement *placement)
{
	struct snapshots *snapshots = placement->snapshots;

	for (int rank = 0; rank < snapshots->ranks; rank++)
		host_close(placement->slots[rank].link);
	g_hash_table_remove(snapshots->placements, GUINT_TO_POINTER(placement->number));
	placement_detach(placement);
	process_group_unref(placement->group);
	if (placement->image)
		placement->image->children--;
	g_free(placement->directory);
	g_free(placement->slots);
}

void placement_detach(struct placement *placement)
{
	if (placement->from)
		placement->from->children--;
	placement->from = NULL;
}

void placement_set_group(struct placement *placement, struct process_group *group)
{
	process_group_unref(placement->group);
	placement->group = group;
}

void placement_put(struct placement *placement, guint32 number, const char *directory,
                   struct snapshot *from, const struct snapshot *state, bool rewound)
{
	struct snapshots *snapshots = placement->snapshots;

	if (placement->directory)
		g_hash_table_remove(snapshots->placements, GUINT_TO_POINTER(placement->number));
	g_free(placement->directory);
	placement_detach(placement);
	if (from)
		from->children++;
	placement->number = number;
	placement->directory = g_strdup(directory);
	placement->from = from;
	placement->launched = from == NULL;
	placement_set_group(placement, NULL);
	placement->rewound = rewound;
	placement->started = host_now(snapshots->host);
	placement->restored = 0;
	placement->connected = 0;
	memset(placement->slots, 0, (gsize)snapshots->ranks * sizeof(*placement->slots));
	g_hash_table_insert(snapshots->placements, GUINT_TO_POINTER(number), placement);
	snapshots->client->placed(placement->execution, state);
}

void placement_order(struct placement *placement, int rank, const struct wire_message *order)
{
	struct host_link *link = placement->slots[rank].link;

	if (process_group_settle(placement->group, rank))
		placement->snapshots->client->welcome(placement->execution, rank, link);
	if (!wire_moves_nothing(order->type))
		process_group_moves(placement->group, rank);
	host_send(link, order);
}

void placement_note_restored(struct placement *placement)
{
	struct snapshots *snapshots = placement->snapshots;
	double *lately = placement->rewound ? &snapshots->cost.rewind : &snapshots->cost.fork;
	double seconds = (double)(host_now(snapshots->host) - placement->started) / G_USEC_PER_SEC;

	*lately = 0.5 * *lately + 0.5 * seconds;
}

void placement_assign(struct host_link *link, enum link_role role, void *owner, int rank)
{
	if (!link)
		return;
	link->role = role;
	link->owner = owner;
	link->rank = rank;
}

pid_t *placement_pids(const struct placement *placement)
{
	const int ranks = placement->snapshots->ranks;
	pid_t *pids = g_new(pid_t, ranks);

	for (int rank = 0; rank < ranks; rank++)
		pids[rank] = placement->slots[rank].pid;
	return pids;
}
