#include "otf2_trace.h"

/* OTF2 has an event stream for each location, here a thread. */

uint32_t otf2_thread(const struct record_call *call)
{
	return call->thread > 1 ? call->thread - 1 : 0;
}

static int compare_locations(gconstpointer a, gconstpointer b)
{
	const struct otf2_location *one = a, *other = b;

	if ((one->thread > 0) != (other->thread > 0))
		return one->thread > 0 ? 1 : -1;
	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	return one->thread < other->thread ? -1 : one->thread > other->thread;
}

static guint location_hash(gconstpointer key)
{
	const struct otf2_location *location = key;

	return (guint)location->rank * 31u + location->thread;
}

static gboolean location_equal(gconstpointer one, gconstpointer other)
{
	return compare_locations(one, other) == 0;
}

GArray *otf2_locations(const GArray *calls, int32_t ranks)
{
	GArray *locations = g_array_new(false, false, sizeof(struct otf2_location));
	g_autoptr(GHashTable)
		known = g_hash_table_new_full(location_hash, location_equal, g_free, NULL);

	for (int32_t rank = 0; rank < ranks; rank++) {
		const struct otf2_location main_thread = {rank, 0};

		g_array_append_val(locations, main_thread);
	}
	for (guint i = 0; i < calls->len; i++) {
		const struct record_call *call = &g_array_index(calls, struct record_call, i);
		const struct otf2_location location = {call->rank, otf2_thread(call)};

		if (location.thread > 0 && call->rank >= 0 && call->rank < ranks
		    && g_hash_table_add(known, g_memdup2(&location, sizeof(location))))
			g_array_append_val(locations, location);
	}
	g_array_sort(locations, compare_locations);
	return locations;
}
