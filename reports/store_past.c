/* What is in a store for those who go on from it or merge it. */
#include "../scheduler/store_schema.h"
#include "store_rows.h"

GPtrArray *store_reader_identity(struct store_reader *reader, GError **error)
{
	GPtrArray *identity = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	sqlite3_stmt *row = rows_prepare(reader, "SELECT name, value FROM identity ORDER BY rowid",
	                                 error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1) {
		char *name = rows_text(row, 0), *value = rows_text(row, 1);

		g_ptr_array_add(identity, name ? name : g_strdup(""));
		g_ptr_array_add(identity, value ? value : g_strdup(""));
		if (g_hash_table_add(names, identity->pdata[identity->len - 2]))
			continue;
		rows_damaged(reader, "it tells twice what was explored", error);
		code = -1;
		break;
	}
	sqlite3_finalize(row);
	if (code == 0)
		return identity;
	g_ptr_array_unref(identity);
	return NULL;
}

const char *store_identity_value(const GPtrArray *identity, const char *name)
{
	for (guint i = 0; i + 1 < identity->len; i += 2)
		if (g_str_equal(identity->pdata[i], name))
			return identity->pdata[i + 1];
	return NULL;
}

GVariant *store_reader_common(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *row = rows_prepare(reader, "SELECT value FROM common", error);
	int code = row ? rows_step(reader, row, error) : -1;
	g_autoptr(GVariant) common = NULL;

	if (code == 1) {
		const void *data = sqlite3_column_blob(row, 0);
		g_autoptr(GBytes) bytes = g_bytes_new(data, (gsize)sqlite3_column_bytes(row, 0));

		common = g_variant_ref_sink(
			g_variant_new_from_bytes(G_VARIANT_TYPE(STORE_COMMON_TYPE), bytes, FALSE));
	}
	sqlite3_finalize(row);
	return common ? g_variant_get_normal_form(common) : NULL;
}
