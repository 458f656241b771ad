/* Where calls were made: looked up once for each rank and address, and remembered. */
#include <string.h>

#include "session_internal.h"

struct site_key {
	gint64 rank;
	guint64 site;
};

static guint site_key_hash(gconstpointer pointer)
{
	const struct site_key *key = pointer;

	return (guint)((key->site ^ (guint64)key->rank << 48) * 0x9e3779b97f4a7c15u >> 32);
}

static gboolean site_key_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct site_key)) == 0;
}

struct place session_place(struct session *session, int rank, pid_t pid, guint64 site)
{
	struct site_key key = {rank, site};
	struct place *known = g_hash_table_lookup(session->places, &key);
	struct place place = {0};

	if (known)
		return *known;
	if (session->root && session->root->pids[rank] > 0)
		place = source_lines_find(session->lines, session->root->pids[rank], site);
	if (!place.file && !place.function && pid > 0)
		place = source_lines_find(session->lines, pid, site);
	if (place.file || place.function)
		g_hash_table_insert(session->places, g_memdup2(&key, sizeof(key)),
		                    g_memdup2(&place, sizeof(place)));
	return place;
}

GHashTable *session_places_new(void)
{
	return g_hash_table_new_full(site_key_hash, site_key_equal, g_free, g_free);
}
