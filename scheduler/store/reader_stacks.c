/* Reads the call stacks of a store. */
#include "reader_rows.h"

/* Stacks and their frames are numbered without gaps. */
static bool take_frame(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	GPtrArray *stacks = data;
	gint64 number = row->keys[0], depth = row->keys[1];
	GArray *frames = stacks->len > 0 ? stacks->pdata[stacks->len - 1] : NULL;

	if (depth == 0 && number == (gint64)stacks->len + 1) {
		frames = g_array_new(false, false, sizeof(struct record_frame));
		g_ptr_array_add(stacks, frames);
	} else if (!frames || depth != frames->len || number != stacks->len) {
		return rows_damaged(reader, "its stacks are not numbered in order", error);
	}
	g_array_append_vals(frames, row->record, 1);
	return true;
}

/* Removes the frames inside the one at which the call is reported. false: there are none. */
static bool leave_out_inner(GArray *frames)
{
	guint told = 0;

	while (told < frames->len && !g_array_index(frames, struct record_frame, told).told)
		told++;
	if (told == 0 || told == frames->len)
		return false;
	g_array_remove_range(frames, 0, told);
	return true;
}

bool rows_stacks(struct store_reader *reader, GError **error)
{
	g_autoptr(GHashTable) first = g_hash_table_new(place_hash, place_key_equal);
	bool told = false;

	if (!rows_each(reader, GET_FRAMES, take_frame, reader->stacks, error))
		return false;
	for (guint i = 0; i < reader->stacks->len; i++) {
		GArray *frames = reader->stacks->pdata[i];
		struct place *place = &g_array_index(frames, struct record_frame, 0).place;
		const GArray *known;

		g_array_append_val(reader->sites, *place);
		told = reader->tells && leave_out_inner(frames) ? true : told;
		place = &g_array_index(frames, struct record_frame, 0).place;
		known = g_hash_table_lookup(first, place);
		if (!known)
			g_hash_table_insert(first, place, frames);
		else if (!record_frames_equal(known, frames))
			g_hash_table_add(reader->shared, place);
	}
	reader->tells = told; /* otherwise no place need be looked up */
	return true;
}

const GArray *store_reader_stack(const struct store_reader *reader, uint32_t number)
{
	return number > 0 && number <= reader->stacks->len ? reader->stacks->pdata[number - 1]
	                                                   : NULL;
}

struct taker {
	bool (*take)(const struct record_stack *stands, GArray *frames, void *data, GError **error);
	void *data;
};

static bool take_stands(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	const struct record_stack *stands = row->record;
	const struct taker *taker = data;

	if (stands->stack == 0 || stands->stack > reader->stacks->len)
		return rows_damaged(reader, "the stack of a call is not there", error);
	return taker->take(stands, reader->stacks->pdata[stands->stack - 1], taker->data, error);
}

bool store_reader_each_stack(struct store_reader *reader,
                             bool (*take)(const struct record_stack *stands, GArray *frames,
                                          void *data, GError **error),
                             void *data, GError **error)
{
	struct taker taker = {take, data};

	return rows_each(reader, GET_STANDS, take_stands, &taker, error);
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
