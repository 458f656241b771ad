#include "schema.h"

#include <glib.h>

char *schema_version_problem(const char *file, int64_t version)
{
	g_autofree char *directory = g_path_get_dirname(file);

	if (version >= STORE_OLDEST && version <= STORE_VERSION)
		return NULL;
	if (version > STORE_VERSION)
		return g_strdup_printf("%s: this store has format %" G_GINT64_FORMAT
		                       ", made by a later version of matchpoint; this version "
		                       "reads formats up to %d: use that version, or explore into "
		                       "another directory",
		                       file, version, STORE_VERSION);
	return g_strdup_printf("%s: this store has format %" G_GINT64_FORMAT
	                       ", made by a version of matchpoint before 0.3; this version reads "
	                       "formats from %d on: explore again, or delete %s",
	                       file, version, STORE_OLDEST, directory);
}

void schema_read_indices(GVariant *common, GHashTable *indices)
{
	g_autoptr(GVariant) all = NULL;
	GVariantIter iter;
	guint32 execution;
	GVariant *numbers;

	if (common)
		all = g_variant_lookup_value(common, STORE_INDICES,
		                             G_VARIANT_TYPE(STORE_INDICES_TYPE));
	if (!all)
		return;
	g_variant_iter_init(&iter, all);
	while (g_variant_iter_next(&iter, "(u@au)", &execution, &numbers))
		g_hash_table_insert(indices, GUINT_TO_POINTER(execution), numbers);
}
