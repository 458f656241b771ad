#include "rma_scale.h"

struct rma_scale {
	int ranks;
	GArray **times; /* guint32 by rank; once settled ascending, without duplicates */
};

struct rma_scale *rma_scale_new(int ranks)
{
	struct rma_scale *scale = g_new(struct rma_scale, 1);

	scale->ranks = ranks;
	scale->times = g_new(GArray *, ranks);
	for (int rank = 0; rank < ranks; rank++)
		scale->times[rank] = g_array_new(false, false, sizeof(guint32));
	return scale;
}

void rma_scale_free(struct rma_scale *scale)
{
	if (!scale)
		return;
	for (int rank = 0; rank < scale->ranks; rank++)
		g_array_unref(scale->times[rank]);
	g_free(scale->times);
	g_free(scale);
}

void rma_scale_note(struct rma_scale *scale, int rank, guint32 time)
{
	g_array_append_val(scale->times[rank], time);
}

static gint compare_times(gconstpointer one, gconstpointer other)
{
	guint32 a = *(const guint32 *)one, b = *(const guint32 *)other;

	return a < b ? -1 : a > b;
}

void rma_scale_settle(struct rma_scale *scale)
{
	for (int rank = 0; rank < scale->ranks; rank++) {
		GArray *times = scale->times[rank];
		guint kept = 0;

		g_array_sort(times, compare_times);
		for (guint i = 0; i < times->len; i++) {
			guint32 time = g_array_index(times, guint32, i);

			if (kept == 0 || g_array_index(times, guint32, kept - 1) != time)
				g_array_index(times, guint32, kept++) = time;
		}
		g_array_set_size(times, kept);
	}
}

guint32 rma_scale_place(const struct rma_scale *scale, int rank, guint32 time)
{
	const GArray *times = scale->times[rank];
	guint32 low = 0, high = times->len;

	while (low < high) {
		guint32 middle = low + (high - low) / 2;

		if (g_array_index(times, guint32, middle) <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
