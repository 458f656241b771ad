#include "repetition.h"

#include <stdbool.h>

#define BODY_MAX 64 /* items of a loop's body, after the loops in it are folded */
#define SAVED_MIN 3 /* the two ends of a loop take lines too */
#define IDS_FIRST (1u << 31)

static void repetition_free(gpointer pointer)
{
	struct repetition *repetition = pointer;

	if (repetition && repetition->body)
		g_ptr_array_unref(repetition->body);
	g_free(repetition);
}

static guint id_at(const GPtrArray *items, guint index)
{
	return ((struct repetition *)g_ptr_array_index(items, index))->id;
}

/* How many times the `period` items at `first` occur in a row. */
static guint times(const GPtrArray *items, guint first, guint period)
{
	guint at = first + period;

	while (at < items->len && id_at(items, at) == id_at(items, at - period))
		at++;
	return (at - first) / period;
}

/* The period of the loop at `first` that saves most; of equals the shortest. 0: there is no
 * loop. */
static guint best_group(const GPtrArray *items, guint first, guint *count)
{
	guint most = SAVED_MIN - 1, best = 0;

	for (guint period = 1; period <= BODY_MAX && first + 2 * period <= items->len; period++) {
		guint found = times(items, first, period);

		if ((found - 1) * period > most) {
			most = (found - 1) * period;
			best = period;
			*count = found;
		}
	}
	return best;
}

/* Loops with equal bodies and counts have equal ids. */
static guint loop_id(GHashTable *loops, const GPtrArray *body, guint count)
{
	GString *key = g_string_new(NULL);
	gpointer known;

	g_string_append_printf(key, "%u", count);
	for (guint i = 0; i < body->len; i++)
		g_string_append_printf(key, ",%u", id_at(body, i));
	known = g_hash_table_lookup(loops, key->str);
	if (!known) {
		known = GUINT_TO_POINTER(IDS_FIRST + g_hash_table_size(loops));
		g_hash_table_insert(loops, g_string_free(key, false), known);
	} else {
		g_string_free(key, true);
	}
	return GPOINTER_TO_UINT(known);
}

static GPtrArray *fold(GPtrArray *items, GHashTable *loops);

static struct repetition *fold_loop(GPtrArray *items, guint first, guint period, guint count,
                                    GHashTable *loops)
{
	struct repetition *loop = g_new0(struct repetition, 1);
	GPtrArray *body = g_ptr_array_new_with_free_func(repetition_free);

	for (guint i = first; i < first + period; i++)
		g_ptr_array_add(body, g_steal_pointer(&items->pdata[i]));
	loop->first = ((struct repetition *)g_ptr_array_index(body, 0))->first;
	loop->count = count;
	loop->body = fold(body, loops);
	loop->id = loop_id(loops, loop->body, count);
	return loop;
}

/* Takes ownership of the items. Folds until nothing is left to fold, so that nested loops are
 * found. */
static GPtrArray *fold(GPtrArray *items, GHashTable *loops)
{
	bool any = true;

	while (any) {
		GPtrArray *folded = g_ptr_array_new_with_free_func(repetition_free);

		any = false;
		for (guint i = 0; i < items->len;) {
			guint count = 1, period = best_group(items, i, &count);

			any = any || period > 0;
			if (period > 0)
				g_ptr_array_add(folded, fold_loop(items, i, period, count, loops));
			else
				g_ptr_array_add(folded, g_steal_pointer(&items->pdata[i]));
			i += MAX(period * count, 1);
		}
		g_ptr_array_unref(items);
		items = folded;
	}
	return items;
}

GPtrArray *repetition_fold(const guint *items, guint length)
{
	g_autoptr(GHashTable) loops = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *all = g_ptr_array_new_with_free_func(repetition_free);

	for (guint i = 0; i < length; i++) {
		struct repetition *one = g_new0(struct repetition, 1);

		*one = (struct repetition){.first = i, .count = 1, .id = items[i]};
		g_ptr_array_add(all, one);
	}
	return fold(all, loops);
}

guint repetition_lines(const struct repetition *repetition)
{
	guint lines = 2;

	if (!repetition->body)
		return 1;
	for (guint i = 0; i < repetition->body->len; i++)
		lines += repetition_lines(g_ptr_array_index(repetition->body, i));
	return lines;
}
