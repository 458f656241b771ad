#include "node_set.h"

#include "common/mix.h"

#define FIRST_SLOTS 64u /* a power of two */
#define EMPTY 0u

/* Open addressing with linear probing: a hash lies in the first slot that was free from its own
 * on. */
struct node_set {
	guint owners;
	uint64_t *slots; /* EMPTY, or a hash; NULL: no slots yet */
	gsize slot_count;
	gsize used;
	bool has_empty; /* the hash that marks empty slots is in the set, too */
};

struct node_set *node_set_new(void)
{
	struct node_set *set = g_new0(struct node_set, 1);

	set->owners = 1;
	return set;
}

struct node_set *node_set_ref(struct node_set *set)
{
	set->owners++;
	return set;
}

void node_set_unref(struct node_set *set)
{
	if (--set->owners > 0)
		return;
	g_free(set->slots);
	g_free(set);
}

/* Hashes may be sums, so they are mixed once more. */
static gsize own_slot(const struct node_set *set, uint64_t node)
{
	return mix(node, 0) & (set->slot_count - 1);
}

/* The slot that has this hash, or the free one where it belongs. */
static gsize find(const struct node_set *set, uint64_t node)
{
	gsize slot = own_slot(set, node);

	while (set->slots[slot] != EMPTY && set->slots[slot] != node)
		slot = (slot + 1) & (set->slot_count - 1);
	return slot;
}

static void grow(struct node_set *set)
{
	g_autofree uint64_t *before = set->slots;
	gsize count = set->slot_count;

	set->slot_count = MAX(FIRST_SLOTS, 2 * count);
	set->slots = g_new0(uint64_t, set->slot_count);
	for (gsize i = 0; i < count; i++)
		if (before[i] != EMPTY)
			set->slots[find(set, before[i])] = before[i];
}

static bool set_has_empty(struct node_set *set, bool has)
{
	bool changes = set->has_empty != has;

	set->has_empty = has;
	return changes;
}

bool node_set_add(struct node_set *set, uint64_t node)
{
	gsize slot;

	if (node == EMPTY)
		return set_has_empty(set, true);
	if (set->used + 1 > set->slot_count / 4 * 3)
		grow(set);
	slot = find(set, node);
	if (set->slots[slot] == node)
		return false;
	set->slots[slot] = node;
	set->used++;
	return true;
}

/* Fills the free slot with a hash that was put further on because of it, and so on. */
static void close_gap(struct node_set *set, gsize gap)
{
	gsize mask = set->slot_count - 1;

	for (gsize slot = (gap + 1) & mask; set->slots[slot] != EMPTY; slot = (slot + 1) & mask) {
		gsize own = own_slot(set, set->slots[slot]);

		if (((slot - own) & mask) < ((slot - gap) & mask))
			continue; /* it would come to lie before its own slot */
		set->slots[gap] = set->slots[slot];
		set->slots[slot] = EMPTY;
		gap = slot;
	}
}

bool node_set_remove(struct node_set *set, uint64_t node)
{
	gsize slot;

	if (node == EMPTY)
		return set_has_empty(set, false);
	if (set->used == 0)
		return false;
	slot = find(set, node);
	if (set->slots[slot] == EMPTY)
		return false;
	set->slots[slot] = EMPTY;
	set->used--;
	close_gap(set, slot);
	return true;
}

gsize node_set_count(const struct node_set *set)
{
	return set->used + set->has_empty;
}

gsize node_set_bytes(const struct node_set *set)
{
	return set->slot_count * sizeof(*set->slots);
}
