/* Transactions of the store, and what they cost. */
#include "store_internal.h"

static gboolean is_new_place(gpointer place, gpointer id, gpointer limit)
{
	(void)place;
	return GPOINTER_TO_SIZE(id) > *(gsize *)limit;
}

static bool begin(struct store *store, GError **error)
{
	if (!store->holding)
		return store_run(store, "BEGIN", error);
	if (sqlite3_get_autocommit(store->database) && !store_run(store, "BEGIN", error))
		return false;
	return store_run(store, "SAVEPOINT one", error);
}

bool store_begin(struct store *store, GError **error)
{
	bool begun;

	stopwatch_start(&store->watch);
	begun = begin(store, error);
	if (!begun)
		stopwatch_stop(&store->watch);
	return begun;
}

void store_hold(struct store *store)
{
	store->holding = true;
}

bool store_release(struct store *store, GError **error)
{
	bool good = true;

	if (!store->holding)
		return true;
	store->holding = false;
	stopwatch_start(&store->watch);
	if (store->database && !sqlite3_get_autocommit(store->database))
		good = store_run(store, "COMMIT", error);
	stopwatch_stop(&store->watch);
	return good;
}

static bool commit(struct store *store, GError **error)
{
	return store_run(store, store->holding ? "RELEASE one" : "COMMIT", error);
}

/* On failure nothing of the transaction remains, in the file or in the cache. */
static bool finish(struct store *store, bool good, GError **error)
{
	if (good && commit(store, error)) {
		store->committed_place = store->last_place;
		return true;
	}
	if (!sqlite3_get_autocommit(store->database))
		sqlite3_exec(store->database,
		             store->holding ? "ROLLBACK TO one; RELEASE one" : "ROLLBACK", NULL,
		             NULL, NULL);
	gsize limit = (gsize)store->committed_place;
	g_hash_table_foreach_remove(store->places, is_new_place, &limit);
	store->last_place = store->committed_place;
	store_calls_forget(store->calls);
	return false;
}

bool store_finish(struct store *store, bool good, GError **error)
{
	good = finish(store, good, error);
	stopwatch_stop(&store->watch);
	return good;
}
