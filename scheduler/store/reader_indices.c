/* Reads from the table common: the launcher, and the indices that MPI_Waitany and its kin have
 * returned (schema.h). */
#include "reader_rows.h"
#include "schema.h"

bool rows_common(struct store_reader *reader, GError **error)
{
	g_autoptr(GError) problem = NULL;
	g_autoptr(GVariant) common = store_reader_common(reader, &problem);

	if (problem) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	reader->indices = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_variant_unref);
	schema_read_indices(common, reader->indices);
	if (common)
		g_variant_lookup(common, STORE_LAUNCHER, "s", &reader->exploration->launcher);
	return true;
}

static const char *text_of(const guint32 *indices, guint32 count)
{
	g_autoptr(GString) text = g_string_new(count == 0 ? RECORD_UNDEFINED : NULL);

	for (guint32 i = 0; i < count; i++)
		g_string_append_printf(text, "%s%u", i > 0 ? "," : "", indices[i]);
	return g_intern_string(text->str);
}

void rows_set_indices(const struct store_reader *reader, uint32_t execution, GArray *calls)
{
	GVariant *told = reader->indices
	                         ? g_hash_table_lookup(reader->indices, GUINT_TO_POINTER(execution))
	                         : NULL;
	const guint32 *numbers;
	gsize count = 0, at = 0;

	if (!told)
		return;
	numbers = g_variant_get_fixed_array(told, &count, sizeof(*numbers));
	for (guint i = 0; i < calls->len; i++) {
		struct record_call *call = &g_array_index(calls, struct record_call, i);
		guint32 listed;

		if (!record_returns_indices(call))
			continue;
		call->indices = g_intern_static_string("");
		if (at + 3 > count || numbers[at] != (guint32)call->rank
		    || numbers[at + 1] != call->call)
			continue;
		listed = numbers[at + 2];
		at += 3;
		if (listed != STORE_INDICES_UNKNOWN && listed > count - at)
			return; /* the rest is damaged */
		if (listed == STORE_INDICES_UNKNOWN) {
			call->indices = NULL;
			continue;
		}
		call->indices = text_of(numbers + at, listed);
		at += listed;
	}
}
