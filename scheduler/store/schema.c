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
