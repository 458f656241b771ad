/* The call stacks of a store. */
#include "store_rows.h"

/* Stacks are numbered without gaps, and so are their frames. */
static bool read_frames(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *row = rows_prepare(
		reader, "SELECT stack, depth, function, place FROM frame ORDER BY stack, depth",
		error);
	GArray *frames = NULL;
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1) {
		gint64 number = sqlite3_column_int64(row, 0), depth = sqlite3_column_int64(row, 1);
		struct record_frame frame = {rows_name(row, 2), rows_place(reader, row, 3)};

		if (depth == 0 && number == (gint64)reader->stacks->len + 1) {
			frames = g_array_new(FALSE, FALSE, sizeof(struct record_frame));
			g_ptr_array_add(reader->stacks, frames);
		} else if (!frames || depth != frames->len || number != reader->stacks->len) {
			sqlite3_finalize(row);
			return rows_damaged(reader, "its stacks are not numbered in order", error);
		}
		g_array_append_val(frames, frame);
	}
	sqlite3_finalize(row);
	return row && code == 0;
}

bool rows_stacks(struct store_reader *reader, GError **error)
{
	g_autoptr(GHashTable) first = g_hash_table_new(place_hash, place_key_equal);

	if (!read_frames(reader, error))
		return false;
	for (guint i = 0; i < reader->stacks->len; i++) {
		GArray *frames = reader->stacks->pdata[i];
		struct place *place = &g_array_index(frames, struct record_frame, 0).place;
		const GArray *known = g_hash_table_lookup(first, place);

		if (!known)
			g_hash_table_insert(first, place, frames);
		else if (!record_frames_equal(known, frames))
			g_hash_table_add(reader->shared, place);
	}
	return true;
}

const GArray *store_reader_stack(const struct store_reader *reader, uint32_t number)
{
	return number > 0 && number <= reader->stacks->len ? reader->stacks->pdata[number - 1]
	                                                   : NULL;
}

uint32_t store_reader_stacks(const struct store_reader *reader)
{
	return reader->stacks->len;
}

bool store_reader_stack_tells(const struct store_reader *reader, uint32_t number)
{
	const GArray *frames = store_reader_stack(reader, number);

	return frames
	       && g_hash_table_contains(reader->shared,
	                                &g_array_index(frames, struct record_frame, 0).place);
}
