/* Writes the calls and matches of an interleaving. */
#include <inttypes.h>

#include "store_internal.h"

static bool put_communicators(struct store *store, const GArray *calls, GError **error)
{
	uint64_t last = 0;

	for (guint i = 0; i < calls->len; i++) {
		const struct record_call *call = &g_array_index(calls, struct record_call, i);
		struct communicator_row row = {call->communicator_name, call->communicator_group};

		if (call->communicator == 0 || call->communicator == last)
			continue;
		last = call->communicator;
		if (g_hash_table_contains(store->communicators, &last))
			continue;
		if (!store_put(store, TABLE_COMMUNICATOR, STORE_KEYS((gint64)call->communicator),
		               &row, error))
			return false;
		g_hash_table_add(store->communicators, g_memdup2(&last, sizeof(last)));
	}
	return true;
}

static bool put_calls(struct store *store, uint32_t execution, const GArray *calls, GError **error)
{
	return put_communicators(store, calls, error)
	       && store_put_all(store, TABLE_CALL, STORE_KEYS(execution), calls, error);
}

/* The id of the first of the last `rows` rows written. */
static gint64 first_of(const struct store *store, guint rows)
{
	return rows ? sqlite3_last_insert_rowid(store->database) - rows + 1 : 0;
}

bool store_put_calls(struct store *store, const struct record_execution *execution,
                     gint64 *ret_first_call, gint64 *ret_first_match, GError **error)
{
	if (!store_put_all(store, TABLE_MATCH, STORE_KEYS(execution->id), execution->matches,
	                   error))
		return false;
	*ret_first_match = first_of(store, execution->matches->len);
	if (!put_calls(store, execution->id, execution->calls, error))
		return false;
	store_note_indices(store, execution->id, execution->calls);
	*ret_first_call = first_of(store, execution->calls->len);
	return true;
}

bool store_replace_calls(struct store *store, uint32_t execution, const GArray *calls,
                         GError **error)
{
	g_autofree char *drop = g_strdup_printf(
		"WITH old AS (SELECT first_call, calls FROM execution WHERE id = %" PRIu32 ")"
		" DELETE FROM call WHERE id >= (SELECT first_call FROM old)"
		" AND id < (SELECT first_call + calls FROM old)",
		execution);
	g_autofree char *keep = NULL;
	bool good;

	if (!store_begin(store, error))
		return false;
	good = store_run(store, drop, error) && put_calls(store, execution, calls, error);
	store_note_indices(store, execution, calls);
	keep = g_strdup_printf("UPDATE execution SET first_call = %" PRIi64 ", calls = %u"
	                       " WHERE id = %" PRIu32,
	                       first_of(store, calls->len), calls->len, execution);
	return store_finish(store, good && store_run(store, keep, error), error);
}
