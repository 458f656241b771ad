/* Transactions of the store, and the time they take. */
#include "store_internal.h"

/* A held transaction is written as a whole or not at all. Once a part of it fails, the rest is not
 * written either, and the earlier contents of the file count. */
static bool give_up(struct store *store, GError **error)
{
	if (!store->failed && error && *error)
		store->failed = g_error_copy(*error);
	else if (!store->failed)
		store->failed = g_error_new(STORE_ERROR, STORE_ERROR_IO, "%s: cannot be written",
		                            store->file);
	if (!sqlite3_get_autocommit(store->database))
		sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
	return false;
}

static bool has_failed(const struct store *store, GError **error)
{
	if (store->failed)
		g_propagate_error(error, g_error_copy(store->failed));
	return store->failed != NULL;
}

static bool begin(struct store *store, GError **error)
{
	if (has_failed(store, error))
		return false;
	if (!store->holding)
		return store_run(store, "BEGIN", error);
	if (sqlite3_get_autocommit(store->database) && !store_run(store, "BEGIN", error))
		return give_up(store, error);
	return store_run(store, "SAVEPOINT one", error) || give_up(store, error);
}

bool store_begin(struct store *store, GError **error)
{
	bool begun;

	if (!store_catch_up(store, error))
		return false;
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
	bool good = store_catch_up(store, error) && store_write_common(store, error);

	if (!store->holding)
		return good;
	store->holding = false;
	if (!good || has_failed(store, error))
		return false;
	stopwatch_start(&store->watch);
	if (store->database && !sqlite3_get_autocommit(store->database))
		good = store_run(store, "COMMIT", error) || give_up(store, error);
	stopwatch_stop(&store->watch);
	return good;
}

static bool commit(struct store *store, GError **error)
{
	return store_run(store, store->holding ? "RELEASE one" : "COMMIT", error);
}

/* On failure nothing of the transaction remains in the file or in the cache. */
static bool finish(struct store *store, bool good, GError **error)
{
	if (good && commit(store, error)) {
		store->committed_place = store->last_place;
		return true;
	}
	if (store->holding)
		give_up(store, error);
	else if (!sqlite3_get_autocommit(store->database))
		sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
	store_forget_places(store);
	g_hash_table_remove_all(store->communicators);
	return false;
}

bool store_finish(struct store *store, bool good, GError **error)
{
	good = finish(store, good, error);
	stopwatch_stop(&store->watch);
	return good;
}
