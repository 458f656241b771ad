/* The parts of a store that resume and merge use. */
#include "reader_rows.h"
#include "schema.h"

static char *or_empty(const char *text)
{
	return g_strdup(text ? text : "");
}

static bool take_identity(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	const struct identity_row *told = row->record;
	GPtrArray *identity = data;

	if (store_identity_value(identity, told->name ? told->name : ""))
		return rows_damaged(reader, "its identity has a name twice", error);
	g_ptr_array_add(identity, or_empty(told->name));
	g_ptr_array_add(identity, or_empty(told->value));
	return true;
}

GPtrArray *store_reader_identity(struct store_reader *reader, GError **error)
{
	g_autoptr(GPtrArray) identity = g_ptr_array_new_with_free_func(g_free);

	if (!rows_each(reader, GET_IDENTITY, take_identity, identity, error))
		return NULL;
	return g_steal_pointer(&identity);
}

const char *store_identity_value(const GPtrArray *identity, const char *name)
{
	for (guint i = 0; i + 1 < identity->len; i += 2)
		if (g_str_equal(identity->pdata[i], name))
			return identity->pdata[i + 1];
	return NULL;
}

static bool take_common(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	const struct bytes_row *told = row->record;
	g_autoptr(GBytes) none = g_bytes_new(NULL, 0);
	g_autoptr(GVariant) common = g_variant_ref_sink(g_variant_new_from_bytes(
		G_VARIANT_TYPE(STORE_COMMON_TYPE), told->value ? told->value : none, false));

	(void)reader;
	(void)error;
	*(GVariant **)data = g_variant_get_normal_form(common);
	return true;
}

GVariant *store_reader_common(struct store_reader *reader, GError **error)
{
	g_autoptr(GVariant) common = NULL;

	if (!rows_each(reader, GET_COMMON, take_common, &common, error))
		return NULL;
	return g_steal_pointer(&common);
}
