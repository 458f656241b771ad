#include "sites.h"

#include <string.h>

#include "common/mix.h"

struct sites {
	GHashTable *places; /* struct site_key to struct place */
	struct host *host;
};

struct site_key {
	guint32 job;
	gint32 rank;
	guint64 address;
};

static guint site_key_hash(gconstpointer pointer)
{
	const struct site_key *key = pointer;

	return (guint)mix(mix(key->address, (guint64)key->rank), (guint64)key->job);
}

static gboolean site_key_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct site_key)) == 0;
}

struct sites *sites_new(struct host *host)
{
	struct sites *sites = g_new0(struct sites, 1);

	sites->places = g_hash_table_new_full(site_key_hash, site_key_equal, g_free, g_free);
	sites->host = host;
	return sites;
}

void sites_free(struct sites *sites)
{
	if (!sites)
		return;
	g_hash_table_destroy(sites->places);
	g_free(sites);
}

struct place sites_find(struct sites *sites, const struct site_owner *owner, guint64 address)
{
	struct site_key key = {owner->job, owner->rank, address};
	struct place *known = g_hash_table_lookup(sites->places, &key);
	struct place place = {0};
	struct host *host = sites->host;

	if (known)
		return *known;
	if (owner->first > 0)
		place = host->operations->place_of(host, owner->first, address);
	if (!place.file && !place.function && owner->pid > 0)
		place = host->operations->place_of(host, owner->pid, address);
	if (place.file || place.function)
		g_hash_table_insert(sites->places, g_memdup2(&key, sizeof(key)),
		                    g_memdup2(&place, sizeof(place)));
	return place;
}

struct place sites_find_caller(struct sites *sites, pid_t pid, const uint64_t *addresses,
                               guint32 count)
{
	return sites->host->operations->place_of_stack(sites->host, pid, addresses, count);
}

void sites_add_frames(struct sites *sites, const struct site_owner *owner, guint64 address,
                      GArray *frames)
{
	struct host *host = sites->host;

	if (owner->first <= 0 || !host->operations->frames_of(host, owner->first, address, frames))
		host->operations->frames_of(host, owner->pid, address, frames);
}

static gboolean is_of_job(gpointer key, gpointer place, gpointer job)
{
	(void)place;
	return ((const struct site_key *)key)->job == GPOINTER_TO_UINT(job);
}

void sites_forget(struct sites *sites, guint32 job)
{
	g_hash_table_foreach_remove(sites->places, is_of_job, GUINT_TO_POINTER(job));
}
