#include "choice_coverage.h"

/* A point, and an index of its alternatives. */
struct known_point {
	struct choice_coverage_point point; /* must be first: the key in the table */
	GHashTable *index;                  /* set of the elements of point.alternatives */
};

struct choice_coverage {
	GHashTable *points; /* set of struct known_point */
};

/* Answers are interned, so pointers are compared. */
static guint alternative_hash(gconstpointer data)
{
	const struct choice_coverage_alternative *alternative = data;

	return alternative->answer ? g_direct_hash(alternative->answer)
	                           : (guint)alternative->source;
}

static gboolean alternative_equal(gconstpointer one, gconstpointer other)
{
	const struct choice_coverage_alternative *a = one, *b = other;

	return a->answer == b->answer && (a->answer || a->source == b->source);
}

static void point_free(void *data)
{
	struct known_point *known = data;

	g_hash_table_unref(known->index);
	g_ptr_array_unref(known->point.alternatives);
	g_free(known);
}

static void place_free(void *data)
{
	struct choice_coverage_place *place = data;

	g_ptr_array_unref(place->points);
	g_free(place);
}

struct choice_coverage *choice_coverage_new(void)
{
	struct choice_coverage *coverage = g_new0(struct choice_coverage, 1);

	coverage->points = g_hash_table_new_full(point_key_hash, point_key_equal, point_free, NULL);
	return coverage;
}

void choice_coverage_free(struct choice_coverage *coverage)
{
	if (coverage)
		g_hash_table_unref(coverage->points);
	g_free(coverage);
}

static void note(struct known_point *known, const struct record_message *message, bool taken)
{
	const struct choice_coverage_alternative key = {
		.answer = g_intern_string(message->answer),
		.source = message->source,
	};
	struct choice_coverage_alternative *found = g_hash_table_lookup(known->index, &key);

	if (!found) {
		found = g_memdup2(&key, sizeof key);
		g_ptr_array_add(known->point.alternatives, found);
		g_hash_table_add(known->index, found);
	}
	known->point.taken += taken && !found->taken;
	found->taken |= taken;
}

static struct known_point *find(struct choice_coverage *coverage,
                                const struct record_choice *choice)
{
	struct known_point *known = g_hash_table_lookup(coverage->points, &choice->point);

	if (known)
		return known;
	known = g_new0(struct known_point, 1);
	known->point.point = choice->point;
	known->point.call = choice->point.kind == POINT_LOCK ? choice->point.call : choice->call;
	known->point.function = choice->function;
	known->point.place = choice->place;
	known->point.alternatives = g_ptr_array_new_with_free_func(g_free);
	known->index = g_hash_table_new(alternative_hash, alternative_equal);
	g_hash_table_add(coverage->points, known);
	return known;
}

void choice_coverage_add(struct choice_coverage *coverage, const GPtrArray *choices)
{
	for (guint i = 0; i < choices->len; i++) {
		const struct record_choice *choice = choices->pdata[i];
		struct known_point *known = find(coverage, choice);

		note(known, &choice->taken, true);
		for (guint j = 0; j < choice->alternatives->len; j++)
			note(known, &g_array_index(choice->alternatives, struct record_message, j),
			     false);
	}
}

static struct choice_coverage_place *place_of(GPtrArray *places,
                                              const struct choice_coverage_point *point)
{
	struct choice_coverage_place *place;

	for (guint i = 0; i < places->len; i++) {
		place = places->pdata[i];
		if (place->function == point->function && place_equal(&place->place, &point->place))
			return place;
	}
	place = g_new0(struct choice_coverage_place, 1);
	place->function = point->function;
	place->place = point->place;
	place->points = g_ptr_array_new();
	g_ptr_array_add(places, place);
	return place;
}

static double part(const struct choice_coverage_place *place)
{
	return (double)place->taken / place->known;
}

static gint compare_places(gconstpointer one, gconstpointer other)
{
	const struct choice_coverage_place *a = *(void *const *)one, *b = *(void *const *)other;
	g_autofree char *left = place_print(&a->place), *right = place_print(&b->place);

	if (part(a) != part(b))
		return part(a) < part(b) ? -1 : 1;
	return g_strcmp0(left, right);
}

static gint compare_points(gconstpointer one, gconstpointer other)
{
	const struct choice_coverage_point *a = *(void *const *)one, *b = *(void *const *)other;

	return point_compare(&a->point, &b->point);
}

GPtrArray *choice_coverage_places(const struct choice_coverage *coverage)
{
	GPtrArray *places = g_ptr_array_new_with_free_func(place_free);
	GHashTableIter points;
	void *known;

	g_hash_table_iter_init(&points, coverage->points);
	while (g_hash_table_iter_next(&points, &known, NULL)) {
		struct choice_coverage_point *point = &((struct known_point *)known)->point;
		struct choice_coverage_place *place;

		if (point->alternatives->len < 2)
			continue;
		place = place_of(places, point);
		g_ptr_array_add(place->points, point);
		place->known += point->alternatives->len;
		place->taken += point->taken;
		place->done += point->taken == point->alternatives->len;
	}
	for (guint i = 0; i < places->len; i++)
		g_ptr_array_sort(((struct choice_coverage_place *)places->pdata[i])->points,
		                 compare_points);
	g_ptr_array_sort(places, compare_places);
	return places;
}

/* Appends "MPI_Recv at a.c:7 (3 of 12 calls, 20 of 36 alternatives)" for the places that are done,
 * or for those that are not. */
static void tell(GString *text, const GPtrArray *places, bool done, guint most)
{
	guint told = 0;

	for (guint i = 0; i < places->len; i++) {
		const struct choice_coverage_place *place = places->pdata[i];
		guint calls = place->points->len;
		g_autofree char *where = place_print(&place->place);

		if ((place->done == calls) != done || told++ >= most)
			continue;
		g_string_append_printf(text, "%s%s at %s (", told > 1 ? ", " : "", place->function,
		                       where);
		if (done)
			g_string_append_printf(text, "%u call%s)", calls, calls == 1 ? "" : "s");
		else
			g_string_append_printf(text, "%u of %u call%s, %u of %u alternatives)",
			                       place->done, calls, calls == 1 ? "" : "s",
			                       place->taken, place->known);
	}
	if (told > most)
		g_string_append_printf(text, ", and %u more place%s", told - most,
		                       told - most == 1 ? "" : "s");
	if (told == 0)
		g_string_append(text, "none");
}

char *choice_coverage_words(const struct choice_coverage *coverage, guint most)
{
	g_autoptr(GPtrArray) places = choice_coverage_places(coverage);
	GString *text;

	if (places->len == 0)
		return NULL;
	text = g_string_new("every alternative that was seen has been taken in some interleaving "
	                    "at: ");
	tell(text, places, true, most);
	g_string_append(text, "; not at: ");
	tell(text, places, false, most);
	return g_string_free(text, false);
}
