/* A hash table with open addressing and linear probing. States lie one after another in blocks that
 * do not move. */
#include "state_set.h"

#include <stdbool.h>
#include <string.h>

#include "common/mix.h"

enum { FIRST_SLOTS = 256, BLOCK_STATES = 512 };

struct slot {
	guint64 hash;
	const guint8 *state; /* NULL: the slot is free */
};

struct state_set {
	gsize size;
	struct slot *slots; /* at most half of them are in use */
	guint mask;         /* the number of slots - 1; that number is a power of two */
	guint count;
	GPtrArray *blocks; /* of BLOCK_STATES states */
	guint8 *draft;     /* the place of the next state, in the last block */
};

static void add_block(struct state_set *set)
{
	set->draft = g_malloc(BLOCK_STATES * set->size);
	g_ptr_array_add(set->blocks, set->draft);
}

struct state_set *state_set_new(gsize size)
{
	struct state_set *set = g_new0(struct state_set, 1);

	set->size = size;
	set->mask = FIRST_SLOTS - 1;
	set->slots = g_new0(struct slot, FIRST_SLOTS);
	set->blocks = g_ptr_array_new_with_free_func(g_free);
	add_block(set);
	return set;
}

void state_set_free(struct state_set *set)
{
	g_ptr_array_free(set->blocks, true);
	g_free(set->slots);
	g_free(set);
}

guint8 *state_set_draft(struct state_set *set)
{
	return set->draft;
}

static guint64 hash_of(const guint8 *state, gsize size)
{
	guint64 hash = 0, word;
	gsize at = 0;

	for (; at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, state + at, sizeof(word));
		hash = (hash ^ word) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, state + at, size - at);
	return mix(hash, word);
}

/* The slot that has the state, or the free one where it belongs. */
static struct slot *find(const struct state_set *set, guint64 hash, const guint8 *state)
{
	guint at = (guint)hash & set->mask;

	while (set->slots[at].state
	       && (set->slots[at].hash != hash
	           || memcmp(set->slots[at].state, state, set->size) != 0))
		at = (at + 1) & set->mask;
	return &set->slots[at];
}

static void grow(struct state_set *set)
{
	struct slot *before = set->slots;
	guint slots = set->mask + 1;

	set->mask = 2 * slots - 1;
	set->slots = g_new0(struct slot, 2 * slots);
	for (guint i = 0; i < slots; i++)
		if (before[i].state)
			*find(set, before[i].hash, before[i].state) = before[i];
	g_free(before);
}

const guint8 *state_set_add(struct state_set *set)
{
	const guint8 *state = set->draft;
	guint64 hash = hash_of(state, set->size);
	struct slot *slot = find(set, hash, state);

	if (slot->state)
		return NULL;
	*slot = (struct slot){hash, state};
	set->draft += set->size;
	set->count++;
	if (set->count % BLOCK_STATES == 0)
		add_block(set);
	if (set->count > set->mask / 2)
		grow(set);
	return state;
}

guint state_set_count(const struct state_set *set)
{
	return set->count;
}
