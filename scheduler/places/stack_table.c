#include "stack_table.h"

struct stack_table {
	GPtrArray *all;        /* GArray of struct record_frame */
	GHashTable *numbers;   /* from such a GArray to its number */
	GHashTable *addresses; /* from a GBytes of rank and return addresses to the number */
};

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
	table->addresses = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                         (GDestroyNotify)g_bytes_unref, NULL);
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

static GBytes *key_of(int32_t rank, const uint64_t *addresses, uint32_t count)
{
	gsize size = ((gsize)count + 1) * sizeof(uint64_t);
	uint64_t *key = g_malloc(size);

	key[0] = (uint64_t)rank;
	for (uint32_t i = 0; i < count; i++)
		key[i + 1] = addresses[i];
	return g_bytes_new_take(key, size);
}

uint32_t stack_table_find(const struct stack_table *table, int32_t rank, const uint64_t *addresses,
                          uint32_t count)
{
	g_autoptr(GBytes) key = key_of(rank, addresses, count);

	return GPOINTER_TO_UINT(g_hash_table_lookup(table->addresses, key));
}

uint32_t stack_table_add(struct stack_table *table, int32_t rank, const uint64_t *addresses,
                         uint32_t count, GArray *frames)
{
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(table->numbers, frames));

	if (number > 0) {
		g_array_unref(frames);
	} else {
		g_ptr_array_add(table->all, frames);
		number = table->all->len;
		g_hash_table_insert(table->numbers, frames, GUINT_TO_POINTER(number));
	}
	g_hash_table_insert(table->addresses, key_of(rank, addresses, count),
	                    GUINT_TO_POINTER(number));
	return number;
}

const GPtrArray *stack_table_all(const struct stack_table *table)
{
	return table->all;
}
