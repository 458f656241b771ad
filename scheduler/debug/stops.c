#include "stops.h"

struct stops {
	GPtrArray *list; /* struct stop */
	guint here;      /* index; undefined while the list is empty */
};

struct stop *stop_new(struct position *position, bool ended)
{
	struct stop *stop = g_new0(struct stop, 1);

	stop->position = position;
	stop->ended = ended;
	return stop;
}

void stop_free(gpointer data)
{
	struct stop *stop = data;

	position_free(stop->position);
	g_free(stop);
}

const GArray *stop_choices(const struct stop *stop)
{
	return position_path(stop->position)->choices;
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

static bool is_stop(const struct stop *stop, const struct position *position, bool ended)
{
	return stop && stop->ended == ended && position_equal(stop->position, position);
}

void stops_arrive(struct stops *stops, struct position *position, bool ended)
{
	if (is_stop(stops_here(stops), position, ended)) {
		position_free(position);
		return;
	}
	if (is_stop(stops_at(stops, 1), position, ended)) {
		stops->here++;
		position_free(position);
		return;
	}
	if (stops->list->len > 0)
		g_ptr_array_set_size(stops->list, (int)++stops->here);
	g_ptr_array_add(stops->list, stop_new(position, ended));
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
