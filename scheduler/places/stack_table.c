#include "stack_table.h"

#include <string.h>

#include "common/mix.h"

struct stack_table {
	GPtrArray *all;        /* GArray of struct record_frame */
	GHashTable *numbers;   /* from such a GArray to its number */
	GHashTable *addresses; /* from struct stack_key to the number */
};

struct stack_key {
	int32_t rank;
	uint32_t count;
	const uint64_t *addresses; /* of keys in the table: directly behind the key */
};

static guint key_hash(gconstpointer pointer)
{
	const struct stack_key *key = pointer;
	uint64_t hash = (uint32_t)key->rank;

	for (uint32_t i = 0; i < key->count; i++)
		hash = mix(hash, key->addresses[i]);
	return (guint)hash;
}

static gboolean key_equal(gconstpointer one, gconstpointer other)
{
	const struct stack_key *a = one, *b = other;

	return a->rank == b->rank && a->count == b->count
	       && (a->count == 0
	           || memcmp(a->addresses, b->addresses, a->count * sizeof *a->addresses) == 0);
}

static struct stack_key *key_copy(const struct stack_key *key)
{
	gsize size = key->count * sizeof *key->addresses;
	struct stack_key *copy = g_malloc(sizeof *copy + size);
	uint64_t *addresses = (uint64_t *)(copy + 1);

	*copy = *key;
	copy->addresses = addresses;
	if (size > 0)
		memcpy(addresses, key->addresses, size);
	return copy;
}

static guint frames_hash(gconstpointer key)
{
	const GArray *frames = key;
	guint hash = frames->len;

	for (guint i = 0; i < frames->len; i++) {
		const struct record_frame *frame = &g_array_index(frames, struct record_frame, i);

		hash = hash * 31 + place_hash(&frame->place);
		hash = hash * 31 + g_direct_hash(frame->function);
	}
	return hash;
}

static gboolean frames_equal(gconstpointer one, gconstpointer other)
{
	return record_frames_equal(one, other);
}

struct stack_table *stack_table_new(void)
{
	struct stack_table *table = g_new0(struct stack_table, 1);

	table->all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	table->numbers = g_hash_table_new(frames_hash, frames_equal);
	table->addresses = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
	return table;
}

void stack_table_free(struct stack_table *table)
{
	if (!table)
		return;
	g_hash_table_unref(table->addresses);
	g_hash_table_unref(table->numbers);
	g_ptr_array_unref(table->all);
	g_free(table);
}

uint32_t stack_table_find(const struct stack_table *table, int32_t rank, const uint64_t *addresses,
                          uint32_t count)
{
	const struct stack_key key = {rank, count, addresses};

	return GPOINTER_TO_UINT(g_hash_table_lookup(table->addresses, &key));
}

uint32_t stack_table_add(struct stack_table *table, int32_t rank, const uint64_t *addresses,
                         uint32_t count, GArray *frames)
{
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(table->numbers, frames));
	const struct stack_key key = {rank, count, addresses};

	if (number > 0) {
		g_array_unref(frames);
	} else {
		g_ptr_array_add(table->all, frames);
		number = table->all->len;
		g_hash_table_insert(table->numbers, frames, GUINT_TO_POINTER(number));
	}
	g_hash_table_insert(table->addresses, key_copy(&key), GUINT_TO_POINTER(number));
	return number;
}

const GPtrArray *stack_table_all(const struct stack_table *table)
{
	return table->all;
}
