#include "random_search.h"

#include "spine.h"

struct random_search {
	int ranks;
	uint64_t seed, fixed;
	uint32_t stream;
	GRand *random;     /* generator of the current walk; NULL: none yet */
	GHashTable *known; /* hashes of the known outcomes */
	bool drawn;        /* something was drawn in the current walk */
	bool nothing;      /* nothing was drawn in a complete walk: there is only one outcome */
	struct random_statistics statistics;
};

struct random_search *random_search_new(int ranks, uint64_t seed, uint32_t stream, uint64_t fixed)
{
	struct random_search *search = g_new0(struct random_search, 1);

	search->ranks = ranks;
	search->seed = seed;
	search->stream = stream;
	search->fixed = fixed;
	search->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	return search;
}

void random_search_free(struct random_search *search)
{
	if (!search)
		return;
	if (search->random)
		g_rand_free(search->random);
	g_hash_table_destroy(search->known);
	g_free(search);
}

bool random_search_next(struct random_search *search)
{
	const struct random_statistics *now = &search->statistics;
	const guint32 seed[] = {(guint32)search->seed, (guint32)(search->seed >> 32),
	                        search->stream, (guint32)now->runs, (guint32)(now->runs >> 32)};

	if (search->nothing || now->fruitless >= MAX(RANDOM_FRUITLESS, 2 * now->outcomes))
		return false;
	if (search->random)
		g_rand_set_seed_array(search->random, seed, G_N_ELEMENTS(seed));
	else
		search->random = g_rand_new_with_seed_array(seed, G_N_ELEMENTS(seed));
	search->drawn = false;
	return true;
}

/* --- a world at rest ----------------------------------------------------------------------- */

/* Early sends and the order of threads are decided first, as in the search: what comes after does
 * not depend on when they were decided. */
static bool comes_first(const struct open_choice *open)
{
	enum taken_kind kind = g_array_index(open->alternatives, struct taken, 0).kind;

	return kind == TAKEN_THREAD || kind == TAKEN_EARLY || kind == TAKEN_LATE;
}

static guint draw(struct random_search *search, guint count)
{
	if (count < 2)
		return 0;
	search->drawn = true;
	return (guint)g_rand_int_range(search->random, 0, (gint32)count);
}

static const struct open_choice *draw_point(struct random_search *search, const GArray *open)
{
	const struct open_choice *first = &g_array_index(open, struct open_choice, 0);

	for (guint i = 0; i < open->len; i++)
		if (first[i].bounds & search->fixed)
			return &first[i];
	return comes_first(first) ? first : &first[draw(search, open->len)];
}

/* The hash of the set of choices that were made. */
static uint64_t outcome_hash(const struct random_search *search, const struct trace *trace)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);
		struct choice choice = {point_of(event->op.id, search->ranks), event->answer};

		if (event->kind == EVENT_MATCH)
			choice.taken = taken_message(event->other);
		if (event->chosen && (event->kind == EVENT_MATCH || event->kind == EVENT_ANSWER))
			hash += choice_hash(&choice);
	}
	return hash;
}

static enum explorer_step end(struct random_search *search, const struct trace *trace)
{
	uint64_t hash = outcome_hash(search, trace);

	search->nothing = !search->drawn;
	search->statistics.runs++;
	if (!g_hash_table_add(search->known, g_memdup2(&hash, sizeof hash))) {
		search->statistics.fruitless++;
		return EXPLORER_KNOWN;
	}
	search->statistics.outcomes++;
	search->statistics.fruitless = 0;
	return EXPLORER_DONE;
}

enum explorer_step random_search_returned(struct random_search *search)
{
	search->nothing = false;
	search->statistics.runs++;
	search->statistics.fruitless++;
	return EXPLORER_KNOWN;
}

enum explorer_step random_search_rest(struct random_search *search, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice)
{
	const struct open_choice *point;
	guint taken = 0;

	if (open->len == 0)
		return end(search, trace);
	point = draw_point(search, open);
	if (!(point->bounds & search->fixed))
		taken = draw(search, point->alternatives->len);
	ret_choice->point = point->point;
	ret_choice->taken = g_array_index(point->alternatives, struct taken, taken);
	return EXPLORER_TAKE;
}

void random_search_statistics(const struct random_search *search, struct random_statistics *ret)
{
	*ret = search->statistics;
}

/* --- saving -------------------------------------------------------------------------------- */

GVariant *random_search_save(const struct random_search *search)
{
	const struct random_statistics *now = &search->statistics;
	GVariantBuilder known;
	GHashTableIter iter;
	gpointer hash;

	g_variant_builder_init(&known, G_VARIANT_TYPE("at"));
	g_hash_table_iter_init(&iter, search->known);
	while (g_hash_table_iter_next(&iter, &hash, NULL))
		g_variant_builder_add(&known, "t", *(const guint64 *)hash);
	return g_variant_ref_sink(g_variant_new(RANDOM_SEARCH_TYPE, now->runs, now->fruitless,
	                                        (gboolean)search->nothing, &known));
}

bool random_search_restore(struct random_search *search, GVariant *saved)
{
	struct random_statistics *now = &search->statistics;
	guint64 runs, fruitless, hash;
	GVariantIter *known;
	gboolean nothing; /* as GVariant returns it */

	if (!g_variant_is_of_type(saved, G_VARIANT_TYPE(RANDOM_SEARCH_TYPE)))
		return false;
	g_variant_get(saved, RANDOM_SEARCH_TYPE, &runs, &fruitless, &nothing, &known);
	while (g_variant_iter_next(known, "t", &hash))
		g_hash_table_add(search->known, g_memdup2(&hash, sizeof hash));
	g_variant_iter_free(known);
	search->nothing = nothing;
	now->runs = runs;
	now->fruitless = fruitless;
	now->outcomes = g_hash_table_size(search->known);
	return runs >= now->outcomes && runs >= fruitless;
}
