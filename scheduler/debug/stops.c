#include "stops.h"

#include <string.h>

struct stops {
	GPtrArray *list; /* struct stop */
	guint here;      /* index; without meaning while there is none */
};

struct stop *stop_new(const GArray *choices, const GArray *calls, bool ended)
{
	struct stop *stop = g_new0(struct stop, 1);

	stop->ended = ended;
	stop->choices = g_array_sized_new(false, false, sizeof(struct choice), choices->len);
	g_array_append_vals(stop->choices, choices->data, choices->len);
	if (calls)
		stop->calls = g_array_copy((GArray *)calls);
	return stop;
}

void stop_free(gpointer data)
{
	struct stop *stop = data;

	g_array_unref(stop->choices);
	if (stop->calls)
		g_array_unref(stop->calls);
	g_free(stop);
}

struct stops *stops_new(void)
{
	struct stops *stops = g_new0(struct stops, 1);

	stops->list = g_ptr_array_new_with_free_func(stop_free);
	return stops;
}

void stops_free(struct stops *stops)
{
	if (!stops)
		return;
	g_ptr_array_unref(stops->list);
	g_free(stops);
}

static bool same_calls(const GArray *one, const GArray *other)
{
	if (!one || !other)
		return one == other;
	return one->len == other->len
	       && memcmp(one->data, other->data, one->len * sizeof(guint32)) == 0;
}

/* The order in which choices were made that do not depend on each other says nothing. */
static bool is_stop(const struct stop *stop, const GArray *choices, const GArray *calls, bool ended)
{
	return stop && stop->ended == ended && same_calls(stop->calls, calls)
	       && choices_same(stop->choices, choices);
}

void stops_arrive(struct stops *stops, const GArray *choices, const GArray *calls, bool ended)
{
	if (is_stop(stops_here(stops), choices, calls, ended))
		return;
	if (is_stop(stops_at(stops, 1), choices, calls, ended)) {
		stops->here++;
		return;
	}
	if (stops->list->len > 0)
		g_ptr_array_set_size(stops->list, (int)++stops->here);
	g_ptr_array_add(stops->list, stop_new(choices, calls, ended));
}

const struct stop *stops_here(const struct stops *stops)
{
	return stops_at(stops, 0);
}

const struct stop *stops_at(const struct stops *stops, int away)
{
	gint64 index = (gint64)stops->here + away;

	return index >= 0 && index < stops->list->len ? stops->list->pdata[index] : NULL;
}

void stops_move(struct stops *stops, int away)
{
	g_assert(stops_at(stops, away));
	stops->here = (guint)((int)stops->here + away);
}

guint stops_before(const struct stops *stops)
{
	return stops->list->len > 0 ? stops->here : 0;
}

guint stops_behind(const struct stops *stops)
{
	return stops->list->len > 0 ? stops->list->len - 1 - stops->here : 0;
}
