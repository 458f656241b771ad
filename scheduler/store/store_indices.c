/* Writes the indices that MPI_Waitany and its kin have returned (schema.h: indices). They are kept
 * in memory until a transaction ends, or other data of the table common is written. */
#include <string.h>

#include "schema.h"
#include "store_internal.h"

static void append(GArray *numbers, uint32_t number)
{
	g_array_append_val(numbers, number);
}

/* `count`: of indices that follow, or STORE_INDICES_UNKNOWN. */
static void append_head(GArray *numbers, const struct record_call *call, uint32_t count)
{
	append(numbers, (uint32_t)call->rank);
	append(numbers, call->call);
	append(numbers, count);
}

static void append_call(GArray *numbers, const struct record_call *call)
{
	g_auto(GStrv) parts = g_strsplit(call->indices, ",", -1);

	append_head(numbers, call, g_strv_length(parts));
	for (char **part = parts; *part; part++)
		append(numbers, (uint32_t)g_ascii_strtoull(*part, NULL, 10));
}

void store_note_indices(struct store *store, uint32_t execution, const GArray *calls)
{
	g_autoptr(GArray) numbers = g_array_new(false, false, sizeof(uint32_t));
	bool any = false;

	for (guint i = 0; i < calls->len; i++) {
		const struct record_call *call = &g_array_index(calls, struct record_call, i);
		bool can_return = record_returns_indices(call);

		any |= can_return && call->indices;
		if (can_return && !call->indices)
			append_head(numbers, call, STORE_INDICES_UNKNOWN);
		else if (can_return && strcmp(call->indices, RECORD_UNDEFINED) == 0)
			append_head(numbers, call, 0);
		else if (can_return && call->indices[0] != '\0')
			append_call(numbers, call);
	}
	if (!any)
		return;
	g_hash_table_insert(
		store->indices, GUINT_TO_POINTER(execution),
		g_variant_ref_sink(g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, numbers->data,
	                                                     numbers->len, sizeof(uint32_t))));
	store->common_changed = true;
}

void store_insert_common(const struct store *store, GVariantDict *common)
{
	GVariantBuilder all;
	GHashTableIter iter;
	gpointer execution, numbers;

	if (store->launcher)
		g_variant_dict_insert(common, STORE_LAUNCHER, "s", store->launcher);
	if (g_hash_table_size(store->indices) == 0)
		return;
	g_variant_builder_init(&all, G_VARIANT_TYPE(STORE_INDICES_TYPE));
	g_hash_table_iter_init(&iter, store->indices);
	while (g_hash_table_iter_next(&iter, &execution, &numbers))
		g_variant_builder_add(&all, "(u@au)", GPOINTER_TO_UINT(execution), numbers);
	g_variant_dict_insert_value(common, STORE_INDICES, g_variant_builder_end(&all));
}

bool store_write_common(struct store *store, GError **error)
{
	g_autoptr(GVariant) common = NULL;

	if (!store->common_changed)
		return true;
	if (!store_get_common(store, &common, error))
		return false;
	if (!common)
		common = g_variant_ref_sink(g_variant_new_array(G_VARIANT_TYPE("{sv}"), NULL, 0));
	return store_put_common(store, common, error);
}

bool store_read_indices(struct store *store, GError **error)
{
	g_autoptr(GVariant) common = NULL;

	if (!store_get_common(store, &common, error))
		return false;
	schema_read_indices(common, store->indices);
	return true;
}

static gboolean is_after(gpointer execution, gpointer value, gpointer last)
{
	(void)value;
	return GPOINTER_TO_UINT(execution) > *(const uint64_t *)last;
}

void store_forget_indices(struct store *store, uint64_t last)
{
	if (g_hash_table_foreach_remove(store->indices, is_after, &last) > 0)
		store->common_changed = true;
}
