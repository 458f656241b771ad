#include "snapshots.h"

#include "held_ranks.h"
#include "image.h"
#include "snapshots_internal.h"

#define PROCESSES_MOST 4096 /* of keepers */
#define ALONG_MOST 4        /* snapshots along paths; the oldest stay, as most begin there */
#define REFUSALS_MOST 8     /* in a row, for each rank, until no rank is rewound */

static guint64 memory_of(pid_t process, void *host)
{
	return ((struct host *)host)->operations->memory_of(host, process);
}

struct snapshots *snapshots_new(const struct snapshots_options *options)
{
	struct snapshots *snapshots = g_new0(struct snapshots, 1);

	snapshots->host = options->host;
	snapshots->client = options->client;
	snapshots->user = options->user;
	snapshots->ranks = options->ranks;
	snapshots->enabled = options->enabled;
	snapshots->rewinds = options->rewinds;
	snapshots->images = options->images;
	snapshots->set = snapshot_set_new(options->memory_most, PROCESSES_MOST, memory_of,
	                                  options->host);
	snapshots->all = g_ptr_array_new();
	snapshots->unfinished = g_ptr_array_new();
	snapshots->placements = g_hash_table_new(NULL, NULL);
	return snapshots;
}

void snapshots_free(struct snapshots *snapshots)
{
	snapshot_set_free(snapshots->set);
	g_ptr_array_unref(snapshots->all);
	g_ptr_array_unref(snapshots->unfinished);
	g_hash_table_destroy(snapshots->placements);
	g_free(snapshots->rewinding.reason);
	g_free(snapshots);
}

void *snapshots_user(const struct snapshots *snapshots)
{
	return snapshots->user;
}

void snapshots_disable(struct snapshots *snapshots)
{
	snapshots->enabled = false;
}

bool snapshots_are_enabled(const struct snapshots *snapshots)
{
	return snapshots->enabled;
}

bool snapshots_rewind(const struct snapshots *snapshots)
{
	return snapshots->rewinds && snapshots->enabled
	       && snapshots->rewinding.refused_in_turn < REFUSALS_MOST * (guint)snapshots->ranks;
}

bool snapshots_may_rewind(const struct snapshots *snapshots)
{
	return snapshots->rewinds;
}

struct snapshot *snapshots_root(const struct snapshots *snapshots)
{
	return snapshots->root;
}

guint32 snapshots_next_world(struct snapshots *snapshots)
{
	return snapshots->next_world++;
}

bool snapshots_have_room(const struct snapshots *snapshots)
{
	return snapshot_set_has_room(snapshots->set, (guint)snapshots->ranks);
}

const struct rewinding *snapshots_rewinding(const struct snapshots *snapshots)
{
	return &snapshots->rewinding;
}

struct restore_cost snapshots_cost(const struct snapshots *snapshots)
{
	return snapshots->cost;
}

/* --- executions ------------------------------------------------------------------------------- */

struct execution *snapshots_find(const struct snapshots *snapshots, guint32 world)
{
	const struct placement *placement = g_hash_table_lookup(snapshots->placements,
	                                                        GUINT_TO_POINTER(world));

	return placement ? placement->execution : NULL;
}

GList *snapshots_executions(const struct snapshots *snapshots)
{
	GList *all = g_hash_table_get_values(snapshots->placements);

	for (GList *item = all; item; item = item->next)
		item->data = ((const struct placement *)item->data)->execution;
	return all;
}

guint snapshots_count_executions(const struct snapshots *snapshots)
{
	return g_hash_table_size(snapshots->placements);
}

/* --- going back ------------------------------------------------------------------------------- */

struct wanted {
	bool stacks, seals;
};

/* Taking call stacks may affect a program, so snapshots with and without them are not mixed. After
 * calls without seals few states are equal. */
static bool serves(const struct snapshot_entry *entry, void *user)
{
	const struct snapshot *snapshot = snapshot_entry_owner(entry);
	const struct wanted *wanted = user;

	if (snapshot->images && !image_serves(snapshot))
		return false;
	return snapshot == snapshot->snapshots->root
	       || (snapshot->stacked == wanted->stacks && (snapshot->sealed || !wanted->seals));
}

struct snapshot *snapshots_nearest(const struct snapshots *snapshots,
                                   const struct position *position, bool stacks, bool seals)
{
	struct wanted wanted = {stacks, seals};
	struct snapshot_entry *entry = snapshot_set_find(snapshots->set, position, serves, &wanted);

	return entry ? snapshot_entry_owner(entry) : snapshots->root;
}

/* --- releasing -------------------------------------------------------------------------------- */

/* Whether a snapshot may be released: there are no copies of it. */
static bool may_go(const struct snapshot_entry *entry)
{
	const struct snapshot *snapshot = snapshot_entry_owner(entry);

	return snapshot != snapshot->snapshots->root && snapshot->children == 0;
}

void snapshots_release_unneeded(struct snapshots *snapshots,
                                bool (*needed)(const struct world *world, void *user), void *user)
{
	struct snapshot_entry *victim;
	guint along = 0;

	for (guint i = 0; i < snapshots->all->len; i++)
		along += ((struct snapshot *)snapshots->all->pdata[i])->along;
	for (guint i = snapshots->all->len; i-- > 0;) {
		struct snapshot *snapshot = snapshots->all->pdata[i];

		if (snapshot == snapshots->root || snapshot->children > 0
		    || (snapshot->along && along-- <= ALONG_MOST)
		    || (!image_is_lost(snapshot) && needed(snapshot->world, user)))
			continue;
		snapshot_release(snapshot);
	}
	while (!snapshot_set_has_room(snapshots->set, 0) && held_ranks_end_oldest(snapshots, false))
		;
	while ((victim = snapshot_set_evict(snapshots->set, may_go)))
		snapshot_release(snapshot_entry_owner(victim));
	while (!snapshot_set_has_room(snapshots->set, 0) && held_ranks_end_oldest(snapshots, true))
		;
}

void snapshots_keep_images(struct snapshots *snapshots, bool images)
{
	snapshots->images = images;
}

void snapshots_release_sealed(struct snapshots *snapshots)
{
	for (guint i = snapshots->all->len; i-- > 0;) {
		struct snapshot *snapshot = snapshots->all->pdata[i];

		if (snapshot != snapshots->root && snapshot->children == 0 && snapshot->sealed)
			snapshot_release(snapshot);
	}
}

void snapshots_release_all(struct snapshots *snapshots)
{
	while (snapshots->all->len > 0)
		snapshot_release(snapshots->all->pdata[snapshots->all->len - 1]);
}

void snapshots_each(const struct snapshots *snapshots,
                    void (*look)(const struct world *world, void *user), void *user)
{
	for (guint i = 0; i < snapshots->all->len; i++) {
		const struct snapshot *snapshot = snapshots->all->pdata[i];

		if (!image_is_lost(snapshot))
			look(snapshot->world, user);
	}
}
