#include "choice_coverage.h"

/* A point, and an index of its alternatives. */
struct known_point {
	struct choice_coverage_point point; /* must be first: the key in the table */
	GHashTable *index;                  /* set of the elements of point.alternatives */
};

struct choice_coverage {
	GHashTable *points; /* set of struct known_point */
	GHashTable *stacks; /* by rank and call (stack_key): GPtrArray of GArray of frames */
};

static gint64 stack_key(int32_t rank, uint32_t call)
{
	return (gint64)rank << 32 | call;
}

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
	g_ptr_array_unref(place->callers);
	g_free(place);
}

struct choice_coverage *choice_coverage_new(void)
{
	struct choice_coverage *coverage = g_new0(struct choice_coverage, 1);

	coverage->points = g_hash_table_new_full(point_key_hash, point_key_equal, point_free, NULL);
	coverage->stacks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
	                                         (GDestroyNotify)g_ptr_array_unref);
	return coverage;
}

void choice_coverage_free(struct choice_coverage *coverage)
{
	if (!coverage)
		return;
	g_hash_table_unref(coverage->points);
	g_hash_table_unref(coverage->stacks);
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

/* --- stacks ---------------------------------------------------------------------------------- */

static void unref_array(void *array)
{
	g_array_unref(array);
}

void choice_coverage_add_stack(struct choice_coverage *coverage, int32_t rank, uint32_t call,
                               GArray *frames)
{
	const gint64 key = stack_key(rank, call);
	GPtrArray *known = g_hash_table_lookup(coverage->stacks, &key);

	if (!known) {
		known = g_ptr_array_new_with_free_func(unref_array);
		g_hash_table_insert(coverage->stacks, g_memdup2(&key, sizeof key), known);
	}
	for (guint i = 0; i < known->len; i++)
		if (known->pdata[i] == frames)
			return;
	g_ptr_array_add(known, g_array_ref(frames));
}

static const struct record_frame *frame_at(const GArray *frames, guint depth)
{
	return frames && depth < frames->len ? &g_array_index(frames, struct record_frame, depth)
	                                     : NULL;
}

/* The stack that the point has where it was first seen; NULL: not known. */
static const GArray *stack_of(const struct choice_coverage *coverage,
                              const struct choice_coverage_point *point)
{
	const gint64 key = stack_key(point->point.rank, point->call);
	const GPtrArray *known = g_hash_table_lookup(coverage->stacks, &key);

	for (guint i = 0; known && i < known->len; i++) {
		const struct record_frame *inner = frame_at(known->pdata[i], 0);

		if (inner && place_equal(&inner->place, &point->place))
			return known->pdata[i];
	}
	return NULL;
}

/* Frames inside the one at which the call is reported are an interpreter's: they tell nothing. */
static bool is_inner(const GArray *frames, guint depth)
{
	for (guint i = depth + 1; frames && i < frames->len; i++)
		if (frame_at(frames, i)->told)
			return true;
	return false;
}

/* Whether the stacks of two points part at this depth. Those that are not known part from none. */
static bool parts(const struct choice_coverage_point *one,
                  const struct choice_coverage_point *other, guint depth)
{
	const struct record_frame *a = frame_at(one->frames, depth);
	const struct record_frame *b = frame_at(other->frames, depth);

	return a && b && !is_inner(one->frames, depth) && !is_inner(other->frames, depth)
	       && !place_equal(&a->place, &b->place);
}

/* The first depth from `depth` at which stacks of points at this place part; 0: at none. */
static guint parting(const struct choice_coverage_place *place, guint depth)
{
	const struct choice_coverage_point *first = NULL;
	guint least = 0;

	for (guint i = 0; i < place->points->len; i++) {
		const struct choice_coverage_point *point = place->points->pdata[i];

		if (!first && point->frames)
			first = point;
		for (guint at = depth; first && frame_at(point->frames, at); at++)
			if (parts(first, point, at) && (least == 0 || at < least))
				least = at;
	}
	return least;
}

/* --- places ---------------------------------------------------------------------------------- */

static struct choice_coverage_place *place_new(const char *function, const struct place *at)
{
	struct choice_coverage_place *place = g_new0(struct choice_coverage_place, 1);

	place->function = function;
	place->place = *at;
	place->callers = g_ptr_array_new();
	place->points = g_ptr_array_new();
	return place;
}

static void place_add(struct choice_coverage_place *place, struct choice_coverage_point *point)
{
	g_ptr_array_add(place->points, point);
	place->known += point->alternatives->len;
	place->taken += point->taken;
	place->done += point->taken == point->alternatives->len;
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
	place = place_new(point->function, &point->place);
	g_ptr_array_add(places, place);
	return place;
}

/* Of the parts of a place, the one for this caller (NULL: not known). */
static struct choice_coverage_place *part_of(GPtrArray *parts_of_place,
                                             const struct choice_coverage_place *whole,
                                             const struct record_frame *caller)
{
	struct choice_coverage_place *part;

	for (guint i = 0; i < parts_of_place->len; i++) {
		const struct record_frame *known;

		part = parts_of_place->pdata[i];
		known = part->callers->len > whole->callers->len
		                ? part->callers->pdata[whole->callers->len]
		                : NULL;
		if (known == caller
		    || (known && caller && place_equal(&known->place, &caller->place)))
			return part;
	}
	part = place_new(whole->function, &whole->place);
	for (guint i = 0; i < whole->callers->len; i++)
		g_ptr_array_add(part->callers, whole->callers->pdata[i]);
	if (caller)
		g_ptr_array_add(part->callers, (void *)caller);
	g_ptr_array_add(parts_of_place, part);
	return part;
}

/* Adds the place to `divided`, by the frames outside `depth` at which its stacks part. Takes its
 * ownership. */
static void divide(struct choice_coverage_place *place, guint depth, GPtrArray *divided)
{
	guint at = place->callers->len < CHOICE_COVERAGE_CALLERS ? parting(place, depth) : 0;
	g_autoptr(GPtrArray) found = g_ptr_array_new();

	if (at == 0) {
		g_ptr_array_add(divided, place);
		return;
	}
	for (guint i = 0; i < place->points->len; i++) {
		struct choice_coverage_point *point = place->points->pdata[i];

		place_add(part_of(found, place, frame_at(point->frames, at)), point);
	}
	place_free(place);
	for (guint i = 0; i < found->len; i++)
		divide(found->pdata[i], at + 1, divided);
}

static double part(const struct choice_coverage_place *place)
{
	return (double)place->taken / place->known;
}

/* "a.c:7, called by f at b.c:9"; free with g_free. */
static char *print_where(const struct choice_coverage_place *place)
{
	g_autofree char *inner = place_print(&place->place);
	GString *text = g_string_new(inner);

	for (guint i = 0; i < place->callers->len; i++) {
		const struct record_frame *caller = place->callers->pdata[i];
		g_autofree char *at = place_print(&caller->place);

		g_string_append(text, i > 0 ? " by " : ", called by ");
		if (caller->function)
			g_string_append_printf(text, "%s at ", caller->function);
		g_string_append(text, at);
	}
	return g_string_free(text, false);
}

static gint compare_places(gconstpointer one, gconstpointer other)
{
	const struct choice_coverage_place *a = *(void *const *)one, *b = *(void *const *)other;
	g_autofree char *left = print_where(a), *right = print_where(b);

	if (part(a) != part(b))
		return part(a) < part(b) ? -1 : 1;
	return g_strcmp0(left, right);
}

static gint compare_points(gconstpointer one, gconstpointer other)
{
	const struct choice_coverage_point *a = *(void *const *)one, *b = *(void *const *)other;

	return point_compare(&a->point, &b->point);
}

/* The points by place alone (struct choice_coverage_place, which the array does not own). */
static GPtrArray *by_place(const struct choice_coverage *coverage)
{
	GPtrArray *places = g_ptr_array_new();
	GHashTableIter points;
	void *known;

	g_hash_table_iter_init(&points, coverage->points);
	while (g_hash_table_iter_next(&points, &known, NULL)) {
		struct choice_coverage_point *point = &((struct known_point *)known)->point;

		if (point->alternatives->len < 2)
			continue;
		point->frames = stack_of(coverage, point);
		place_add(place_of(places, point), point);
	}
	return places;
}

bool choice_coverage_wants_stacks(const struct choice_coverage *coverage)
{
	g_autoptr(GPtrArray) places = by_place(coverage);
	bool wants = false;

	for (guint i = 0; i < places->len; i++) {
		struct choice_coverage_place *place = places->pdata[i];
		bool none = true;

		for (guint j = 0; j < place->points->len; j++)
			none &= !((struct choice_coverage_point *)place->points->pdata[j])->frames;
		wants |= none && place->points->len > 1;
		place_free(place);
	}
	return wants;
}

GPtrArray *choice_coverage_places(const struct choice_coverage *coverage)
{
	GPtrArray *places = g_ptr_array_new_with_free_func(place_free);
	g_autoptr(GPtrArray) whole = by_place(coverage);

	for (guint i = 0; i < whole->len; i++) {
		struct choice_coverage_place *place = whole->pdata[i];

		g_ptr_array_sort(place->points, compare_points);
		divide(place, 1, places);
	}
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
		g_autofree char *where = print_where(place);

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
