/* Writes call stacks. */
#include "store_internal.h"

/* Earlier sessions may have written stacks: new ones get higher numbers. */
static bool find_first(struct store *store, GError **error)
{
	struct store_stacks *known = &store->stacks;
	sqlite3_stmt *row;

	if (known->known)
		return true;
	row = store_prepare(store, "SELECT coalesce(max(stack), 0) FROM frame", error);
	if (row && sqlite3_step(row) == SQLITE_ROW) {
		known->first = sqlite3_column_int64(row, 0);
		known->known = true;
	} else if (row) {
		store_fail(store, error);
	}
	sqlite3_finalize(row);
	return known->known;
}

static bool put_frames(struct store *store, int64_t number, const GArray *frames, GError **error)
{
	for (guint i = 0; i < frames->len; i++) {
		if (!store_put(store, TABLE_FRAME, STORE_KEYS(number, i),
		               &g_array_index(frames, struct record_frame, i), error))
			return false;
	}
	return true;
}

static bool put_new_stacks(struct store *store, const GPtrArray *stacks, GError **error)
{
	const struct store_stacks *known = &store->stacks;

	for (guint i = known->count; i < stacks->len; i++) {
		if (!put_frames(store, known->first + i + 1, stacks->pdata[i], error))
			return false;
	}
	return true;
}

static bool put_calls(struct store *store, uint32_t execution, const GArray *calls, GError **error)
{
	struct rows rows = {.store = store, .table = TABLE_STANDS, .left = calls->len};

	for (guint i = 0; i < calls->len; i++) {
		struct record_stack call = g_array_index(calls, struct record_stack, i);

		call.stack += (uint32_t)store->stacks.first;
		if (!rows_put(&rows, STORE_KEYS(execution), &call, error))
			return false;
	}
	return true;
}

bool store_put_stacks(struct store *store, uint32_t execution, const GArray *calls,
                      const GPtrArray *stacks, GError **error)
{
	bool good;

	if (!store_begin(store, error))
		return false;
	good = find_first(store, error) && put_new_stacks(store, stacks, error)
	       && put_calls(store, execution, calls, error);
	if (!store_finish(store, good, error))
		return false;
	store->stacks.count = stacks->len;
	return true;
}
