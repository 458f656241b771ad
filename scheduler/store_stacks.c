/* Call stacks in the store. */
#include "store_internal.h"

/* Earlier sessions may have left stacks: ours are numbered behind them. */
static bool look_for_first(struct store *store, GError **error)
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

static bool put_frames(struct store *store, sqlite3_stmt *row, int64_t number, const GArray *frames,
                       GError **error)
{
	for (guint i = 0; i < frames->len; i++) {
		const struct record_frame *frame = &g_array_index(frames, struct record_frame, i);
		int64_t place = store_put_place(store, &frame->place, error);
		bool good;

		sqlite3_bind_int64(row, 1, number);
		sqlite3_bind_int64(row, 2, i);
		sqlite3_bind_text(row, 3, frame->function, -1, SQLITE_STATIC);
		sqlite3_bind_int64(row, 4, place);
		good = place >= 0 && (sqlite3_step(row) == SQLITE_DONE || store_fail(store, error));
		sqlite3_reset(row);
		if (!good)
			return false;
	}
	return true;
}

static bool put_new_stacks(struct store *store, const GPtrArray *stacks, GError **error)
{
	const struct store_stacks *known = &store->stacks;
	sqlite3_stmt *row = store_prepare(store, "INSERT INTO frame VALUES (?,?,?,?)", error);
	bool good = row != NULL;

	for (guint i = known->count; good && i < stacks->len; i++)
		good = put_frames(store, row, known->first + i + 1, stacks->pdata[i], error);
	sqlite3_finalize(row);
	return good;
}

static bool put_calls(struct store *store, uint32_t execution, const GArray *calls, GError **error)
{
	int64_t first = store->stacks.first;
	sqlite3_stmt *row = store_prepare(store, "REPLACE INTO stands VALUES (?,?,?,?)", error);
	bool good = row != NULL;

	for (guint i = 0; good && i < calls->len; i++) {
		const struct record_stack *call = &g_array_index(calls, struct record_stack, i);

		sqlite3_bind_int64(row, 1, execution);
		sqlite3_bind_int64(row, 2, call->rank);
		sqlite3_bind_int64(row, 3, call->call);
		sqlite3_bind_int64(row, 4, first + call->stack);
		good = sqlite3_step(row) == SQLITE_DONE || store_fail(store, error);
		sqlite3_reset(row);
	}
	sqlite3_finalize(row);
	return good;
}

bool store_put_stacks(struct store *store, uint32_t execution, const GArray *calls,
                      const GPtrArray *stacks, GError **error)
{
	bool good;

	if (!store_begin(store, error))
		return false;
	good = look_for_first(store, error) && put_new_stacks(store, stacks, error)
	       && put_calls(store, execution, calls, error);
	if (!store_finish(store, good, error))
		return false;
	store->stacks.count = stacks->len;
	return true;
}
