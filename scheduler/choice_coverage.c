#include "choice_coverage.h"

/* A call of a rank, or who gets a lock next. */
struct point {
	gint64 window; /* -1: none */
	gint32 rank;
	guint32 call, sub;
	const char *function;
	struct place place;
	GHashTable *taken; /* alternative to whether it was taken in some interleaving */
};

struct choice_coverage {
	GHashTable *points; /* set of struct point */
};

/* What is told of a place. */
struct line {
	const char *function;
	struct place place;
	guint calls, done;  /* those that have had each alternative */
	guint known, taken; /* alternatives */
};

static guint point_hash(gconstpointer data)
{
	const struct point *point = data;

	return (guint)point->rank * 31 + point->call * 1009 + point->sub + (guint)point->window * 7;
}

static gboolean point_equal(gconstpointer one, gconstpointer other)
{
	const struct point *a = one, *b = other;

	return a->rank == b->rank && a->call == b->call && a->sub == b->sub
	       && a->window == b->window;
}

static void point_free(void *data)
{
	g_hash_table_unref(((struct point *)data)->taken);
	g_free(data);
}

struct choice_coverage *choice_coverage_new(void)
{
	struct choice_coverage *coverage = g_new0(struct choice_coverage, 1);

	coverage->points = g_hash_table_new_full(point_hash, point_equal, point_free, NULL);
	return coverage;
}

void choice_coverage_free(struct choice_coverage *coverage)
{
	if (coverage)
		g_hash_table_unref(coverage->points);
	g_free(coverage);
}

/* A message is known by its source, an answer by its words. */
static void note(struct point *point, const struct record_message *alternative, gboolean taken)
{
	g_autofree char *source = g_strdup_printf("%d", alternative->source);
	const char *name = g_intern_string(alternative->answer ? alternative->answer : source);

	if (taken || !g_hash_table_contains(point->taken, name))
		g_hash_table_insert(point->taken, (gpointer)name, GINT_TO_POINTER(taken));
}

static struct point *find(struct choice_coverage *coverage, const struct record_choice *choice)
{
	const struct record_lock *lock = &choice->lock;
	struct point key = {
		.window = -1, .rank = choice->rank, .call = choice->call, .sub = choice->sub};
	struct point *point;

	if (lock->window > 0)
		key = (struct point){
			.window = lock->window, .rank = lock->target, .call = lock->grant};
	point = g_hash_table_lookup(coverage->points, &key);
	if (point)
		return point;
	point = g_memdup2(&key, sizeof key);
	point->function = choice->function;
	point->place = choice->place;
	point->taken = g_hash_table_new(g_str_hash, g_str_equal);
	g_hash_table_add(coverage->points, point);
	return point;
}

void choice_coverage_add(struct choice_coverage *coverage, const GPtrArray *choices)
{
	for (guint i = 0; i < choices->len; i++) {
		const struct record_choice *choice = choices->pdata[i];
		struct point *point = find(coverage, choice);

		note(point, &choice->taken, TRUE);
		for (guint j = 0; j < choice->alternatives->len; j++)
			note(point, &g_array_index(choice->alternatives, struct record_message, j),
			     FALSE);
	}
}

static struct line *line_of(GArray *lines, const struct point *point)
{
	struct line fresh = {point->function, point->place, 0, 0, 0, 0};

	for (guint i = 0; i < lines->len; i++) {
		struct line *line = &g_array_index(lines, struct line, i);

		if (line->function == point->function && place_equal(&line->place, &point->place))
			return line;
	}
	g_array_append_val(lines, fresh);
	return &g_array_index(lines, struct line, lines->len - 1);
}

static double part(const struct line *line)
{
	return (double)line->taken / line->known;
}

static gint compare_lines(gconstpointer one, gconstpointer other)
{
	const struct line *a = one, *b = other;
	g_autofree char *left = place_print(&a->place), *right = place_print(&b->place);

	if (part(a) != part(b))
		return part(a) < part(b) ? -1 : 1;
	return g_strcmp0(left, right);
}

static GArray *collect(const struct choice_coverage *coverage)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct line));
	GHashTableIter points, alternatives;
	void *point, *taken;

	g_hash_table_iter_init(&points, coverage->points);
	while (g_hash_table_iter_next(&points, &point, NULL)) {
		GHashTable *all = ((struct point *)point)->taken;
		guint count = 0;
		struct line *line;

		if (g_hash_table_size(all) < 2)
			continue;
		g_hash_table_iter_init(&alternatives, all);
		while (g_hash_table_iter_next(&alternatives, NULL, &taken))
			count += taken != NULL;
		line = line_of(lines, point);
		line->calls++;
		line->known += g_hash_table_size(all);
		line->taken += count;
		line->done += count == g_hash_table_size(all);
	}
	g_array_sort(lines, compare_lines);
	return lines;
}

/* "MPI_Recv at a.c:7 (3 of 12 calls, 20 of 36 alternatives)" of those that are done, or not. */
static void tell(GString *text, const GArray *lines, gboolean done, guint most)
{
	guint told = 0;

	for (guint i = 0; i < lines->len; i++) {
		const struct line *line = &g_array_index(lines, struct line, i);
		g_autofree char *place = place_print(&line->place);

		if ((line->done == line->calls) != done || told++ >= most)
			continue;
		g_string_append_printf(text, "%s%s at %s (", told > 1 ? ", " : "", line->function,
		                       place);
		if (done)
			g_string_append_printf(text, "%u call%s)", line->calls,
			                       line->calls == 1 ? "" : "s");
		else
			g_string_append_printf(text, "%u of %u call%s, %u of %u alternatives)",
			                       line->done, line->calls, line->calls == 1 ? "" : "s",
			                       line->taken, line->known);
	}
	if (told > most)
		g_string_append_printf(text, ", and %u more place%s", told - most,
		                       told - most == 1 ? "" : "s");
	if (told == 0)
		g_string_append(text, "none");
}

char *choice_coverage_words(const struct choice_coverage *coverage, guint most)
{
	g_autoptr(GArray) lines = collect(coverage);
	GString *text;

	if (lines->len == 0)
		return NULL;
	text = g_string_new("every alternative that was seen has been taken in some interleaving "
	                    "at: ");
	tell(text, lines, TRUE, most);
	g_string_append(text, "; not at: ");
	tell(text, lines, FALSE, most);
	return g_string_free(text, FALSE);
}
