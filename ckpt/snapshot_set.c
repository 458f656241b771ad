#include "snapshot_set.h"

#define MEASURE_EVERY 16 /* snapshots; measuring takes longer than taking a small one */
#define PROCESS_OVERHEAD ((guint64)256 << 10) /* page tables and kernel structures */
#define PROCESS_GUESS ((guint64)1 << 20)      /* used if it cannot be measured */

struct snapshot_entry {
	struct position *position;
	guint choices; /* number of choices of its position */
	guint64 calls; /* sum of calls of all ranks */
	guint processes;
	guint64 bytes; /* in addition to the processes */
	double seconds_to_regain;
	guint64 last_used;
	void *owner;
};

struct snapshot_set {
	GPtrArray *snapshots;
	guint64 memory_budget;
	guint process_budget;
	guint processes;
	guint64 bytes_beside;
	snapshot_bytes bytes;
	void *user;                /* passed to the function above */
	guint64 bytes_per_process; /* measured from time to time */
	guint64 clock;             /* incremented with each use */
	guint64 added;
};

static void snapshot_free(gpointer data)
{
	struct snapshot_entry *entry = data;

	position_free(entry->position);
	g_free(entry);
}

struct snapshot_set *snapshot_set_new(guint64 memory_budget, guint process_budget,
                                      snapshot_bytes bytes, void *user)
{
	struct snapshot_set *set = g_new0(struct snapshot_set, 1);

	set->snapshots = g_ptr_array_new_with_free_func(snapshot_free);
	set->memory_budget = memory_budget;
	set->process_budget = process_budget;
	set->bytes = bytes;
	set->user = user;
	set->bytes_per_process = PROCESS_GUESS;
	return set;
}

void snapshot_set_free(struct snapshot_set *set)
{
	if (!set)
		return;
	g_ptr_array_unref(set->snapshots);
	g_free(set);
}

static guint64 measure(const struct snapshot_set *set, pid_t process)
{
	guint64 bytes = set->bytes(process, set->user);

	return bytes > 0 ? bytes + PROCESS_OVERHEAD : PROCESS_GUESS;
}

struct snapshot_entry *snapshot_set_add(struct snapshot_set *set, struct position *position,
                                        const pid_t *keepers, guint64 bytes,
                                        double seconds_to_regain, void *owner)
{
	struct snapshot_entry *entry = g_new0(struct snapshot_entry, 1);
	guint ranks = (guint)position_path(position)->ranks;

	entry->position = position;
	entry->choices = position_path(position)->choices->len;
	for (int rank = 0; rank < position_path(position)->ranks; rank++)
		entry->calls += position_calls(position, rank);
	entry->processes = keepers ? ranks : 0;
	entry->bytes = bytes;
	entry->seconds_to_regain = seconds_to_regain;
	entry->last_used = ++set->clock;
	entry->owner = owner;
	g_ptr_array_add(set->snapshots, entry);
	set->processes += entry->processes;
	set->bytes_beside += bytes;
	if (keepers && set->added++ % MEASURE_EVERY == 0)
		set->bytes_per_process = measure(set, keepers[set->added % ranks]);
	return entry;
}

static bool is_further(const struct snapshot_entry *entry, const struct snapshot_entry *best)
{
	if (!best || entry->choices != best->choices)
		return !best || entry->choices > best->choices;
	return entry->calls >= best->calls;
}

struct snapshot_entry *
snapshot_set_find(struct snapshot_set *set, const struct position *target,
                  bool (*serves)(const struct snapshot_entry *entry, void *user), void *user)
{
	struct snapshot_entry *best = NULL;

	for (guint i = 0; i < set->snapshots->len; i++) {
		struct snapshot_entry *entry = g_ptr_array_index(set->snapshots, i);

		if (!is_further(entry, best))
			continue;
		if (position_leads_to(entry->position, target) && (!serves || serves(entry, user)))
			best = entry;
	}
	if (best)
		best->last_used = ++set->clock;
	return best;
}

/* Times that differ by less than a millisecond count as equal; then the least recently used goes
 * first. */
static bool goes_before(const struct snapshot_entry *entry, const struct snapshot_entry *other)
{
	gint64 cost = (gint64)(entry->seconds_to_regain * 1e3);
	gint64 other_cost = (gint64)(other->seconds_to_regain * 1e3);

	return cost != other_cost ? cost < other_cost : entry->last_used < other->last_used;
}

static bool is_within(const struct snapshot_set *set, guint processes)
{
	return processes <= set->process_budget
	       && processes * set->bytes_per_process + set->bytes_beside <= set->memory_budget;
}

bool snapshot_set_has_room(const struct snapshot_set *set, guint processes)
{
	return is_within(set, set->processes + processes);
}

void snapshot_set_count_beside(struct snapshot_set *set, int processes)
{
	set->processes += (guint)processes;
}

struct snapshot_entry *snapshot_set_evict(struct snapshot_set *set,
                                          bool (*may_go)(const struct snapshot_entry *entry))
{
	struct snapshot_entry *victim = NULL;

	if (is_within(set, set->processes))
		return NULL;
	for (guint i = 0; i < set->snapshots->len; i++) {
		struct snapshot_entry *entry = g_ptr_array_index(set->snapshots, i);

		if (!position_is_start(entry->position) && (!may_go || may_go(entry))
		    && (!victim || goes_before(entry, victim)))
			victim = entry;
	}
	return victim;
}

void snapshot_set_remove(struct snapshot_set *set, struct snapshot_entry *entry)
{
	set->processes -= entry->processes;
	set->bytes_beside -= entry->bytes;
	g_ptr_array_remove_fast(set->snapshots, entry);
}

void *snapshot_entry_owner(const struct snapshot_entry *entry)
{
	return entry->owner;
}
