/* Where calls were made: looked up once for each rank and address, and remembered. */
#include <string.h>

#include "session_internal.h"

struct site_key {
	guint32 job; /* addresses are the same in all processes of a rank that one job began */
	gint32 rank;
	guint64 site;
};

static guint site_key_hash(gconstpointer pointer)
{
	const struct site_key *key = pointer;

	return (guint)((key->site ^ (guint64)key->rank << 48 ^ (guint64)key->job << 32)
	                       * 0x9e3779b97f4a7c15u
	               >> 32);
}

static gboolean site_key_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct site_key)) == 0;
}

/* The worlds that are copied are all of one job. */
static guint32 job_of(const struct execution *execution)
{
	return execution->launched ? execution->number + 1 : 0;
}

struct place session_place(const struct execution *execution, int rank, guint64 site)
{
	struct session *session = execution->session;
	struct site_key key = {job_of(execution), rank, site};
	struct place *known = g_hash_table_lookup(session->places, &key);
	struct place place = {0};

	if (known)
		return *known;
	if (!execution->launched && session->root && session->root->pids[rank] > 0)
		place = source_lines_find(session->lines, session->root->pids[rank], site);
	if (!place.file && !place.function && execution->pids[rank] > 0)
		place = source_lines_find(session->lines, execution->pids[rank], site);
	if (place.file || place.function)
		g_hash_table_insert(session->places, g_memdup2(&key, sizeof(key)),
		                    g_memdup2(&place, sizeof(place)));
	return place;
}

static gboolean is_of_job(gpointer key, gpointer place, gpointer job)
{
	(void)place;
	return ((const struct site_key *)key)->job == GPOINTER_TO_UINT(job);
}

void session_forget_places(const struct execution *execution)
{
	if (execution->launched)
		g_hash_table_foreach_remove(execution->session->places, is_of_job,
		                            GUINT_TO_POINTER(job_of(execution)));
}

GHashTable *session_places_new(void)
{
	return g_hash_table_new_full(site_key_hash, site_key_equal, g_free, g_free);
}
