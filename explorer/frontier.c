#include "frontier.h"

#include "explorer_internal.h"
#include "lock.h"

/* Why a part of the tree can be explored on its own. An alternative that waits at a step is
 * explored together with the steps before it; of these, the steps at their first alternative still
 * have questions. A revisit of such a step is added by exactly one world (explorer.c). So it is
 * found by the search that runs this world, and by no other. The step itself has no questions any
 * more. */

#define MOST_RANK (1 << 24)

static GVariant *pack_bytes(GByteArray *bytes)
{
	GVariant *packed = g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes->data, bytes->len,
	                                             1);

	g_byte_array_unref(bytes);
	return packed;
}

static GVariant *pack_point(const struct point *point)
{
	GByteArray *bytes = g_byte_array_new();

	point_put(bytes, point);
	return pack_bytes(bytes);
}

static GVariant *pack_taken(const struct taken *taken)
{
	GByteArray *bytes = g_byte_array_new();

	taken_put(bytes, taken);
	return pack_bytes(bytes);
}

/* NULL: none. */
static GVariant *pack_choices(const GArray *choices)
{
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct choice));
	GByteArray *bytes = g_byte_array_new();

	choices_put(bytes, choices ? choices : none);
	return pack_bytes(bytes);
}

static GVariant *pack_cost(const struct cost *cost)
{
	const GArray *counts = cost->counts;

	return g_variant_new("(u@au)", cost->deviations,
	                     g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32,
	                                               counts ? counts->data : NULL,
	                                               counts ? counts->len : 0, sizeof(guint32)));
}

/* Of a source that is asked for ahead, the negative number of calls comes before it. */
static GVariant *pack_sources(const GArray *sources)
{
	g_autoptr(GArray) values = g_array_new(false, false, sizeof(int32_t));

	for (guint i = 0; sources && i < sources->len; i++) {
		const struct step_source *one = &g_array_index(sources, struct step_source, i);
		int32_t before = -(int32_t)one->ahead;

		if (one->ahead > 0)
			g_array_append_val(values, before);
		g_array_append_val(values, one->source);
	}
	return g_variant_new_fixed_array(G_VARIANT_TYPE_INT32, values->data, values->len,
	                                 sizeof(int32_t));
}

/* Marks, before a step, the number of calls by which it asks ahead. */
#define ASKS_AHEAD 0x80000000u

static GVariant *pack_askers(const GArray *steps)
{
	g_autoptr(GArray) values = g_array_new(false, false, sizeof(guint32));

	for (guint i = 0; i < steps->len; i++) {
		const struct asker *one = asker_at(steps, i);
		guint32 before = ASKS_AHEAD | one->ahead;

		if (one->ahead > 0)
			g_array_append_val(values, before);
		g_array_append_val(values, one->step);
	}
	return g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, values->data, values->len,
	                                 sizeof(guint32));
}

/* What is asked ahead begins with its number of calls; so does everything, if there are several. */
static void pack_sets(GVariantBuilder *complete, const struct step_sets *sets, bool alone)
{
	if (sets->ahead > 0 || !alone)
		g_variant_builder_add(complete, "(uu)", ASKS_AHEAD | sets->ahead, 0);
	for (guint i = 0; i < sets->complete->len; i++) {
		const struct complete_request *request = &g_array_index(sets->complete,
		                                                        struct complete_request, i);

		g_variant_builder_add(complete, "(uu)", request->index, request->depth);
	}
}

/* Added to a step's `others` if it is undecided. */
#define OTHERS_UNDECIDED (1u << 31)

/* The cost of what waits at a step no more (struct step: early). */
#define COST_EARLY G_MAXUINT

static void pack_alternative(GVariantBuilder *waiting, const struct alternative *alternative,
                             GVariant *cost)
{
	g_variant_builder_add(waiting, "(@" FRONTIER_BYTES "@" FRONTIER_BYTES "@(uau)b)",
	                      pack_taken(&alternative->choice.taken),
	                      pack_choices(alternative->needs), cost, (gboolean)alternative->first);
}

static GVariant *pack_step(const struct step *step, bool with_waiting)
{
	const struct cost early = {COST_EARLY, NULL};
	GVariantBuilder waiting, complete, answers;

	g_variant_builder_init(&waiting, G_VARIANT_TYPE(FRONTIER_WAITING));
	for (GList *item = step->waiting.head; item && with_waiting; item = item->next) {
		const struct alternative *alternative = item->data;

		pack_alternative(&waiting, alternative, pack_cost(&alternative->cost));
	}
	if (step->early)
		pack_alternative(&waiting, step->early, pack_cost(&early));
	g_variant_builder_init(&answers, G_VARIANT_TYPE("a" FRONTIER_BYTES));
	for (guint i = 0; step->answers && i < step->answers->len; i++)
		g_variant_builder_add_value(
			&answers, pack_taken(&g_array_index(step->answers, struct taken, i)));
	g_variant_builder_init(&complete, G_VARIANT_TYPE("a(uu)"));
	for (guint i = 0; step->sets && i < step->sets->len; i++)
		pack_sets(&complete, &g_array_index(step->sets, struct step_sets, i),
		          step->sets->len == 1);
	return g_variant_new(
		"(@" FRONTIER_BYTES "tubu@(uau)u" FRONTIER_WAITING "ba(uu)@aia" FRONTIER_BYTES ")",
		pack_point(&step->point), step->bounds, step->base, (gboolean)step->first,
		step->others | (step->undecided ? OTHERS_UNDECIDED : 0), pack_cost(&step->cost),
		step->seen, &waiting, (gboolean)(step->sets != NULL), &complete,
		pack_sources(step->sources), &answers);
}

static void pack_asking(const struct explorer *explorer, GVariantBuilder *builder,
                        const struct destination *destination)
{
	for (gint32 source = 0; source < explorer->options.ranks; source++) {
		const GArray *steps = destination->asking[source].steps;

		if (steps && steps->len > 0)
			g_variant_builder_add(builder, "(ii@au)", destination->rank, source,
			                      pack_askers(steps));
	}
}

static guint step_waiting(const struct explorer *explorer, guint index)
{
	return g_queue_get_length(&((struct step *)explorer->steps->pdata[index])->waiting);
}

/* Packs the first `index` steps. */
static GVariant *pack(const struct explorer *explorer, guint index, bool cut, bool with_waiting)
{
	GVariantBuilder steps, settled, questions, asking;
	GVariant *packed;

	g_variant_builder_init(&steps, G_VARIANT_TYPE(FRONTIER_STEPS));
	for (guint i = 0; i < index; i++)
		g_variant_builder_add_value(&steps,
		                            pack_step(explorer->steps->pdata[i], with_waiting));
	g_variant_builder_init(&settled, G_VARIANT_TYPE(FRONTIER_SETTLED));
	for (guint i = 0; index > 0 && i < explorer->settled->len; i++) {
		const struct settled *one = &g_array_index(explorer->settled, struct settled, i);

		g_variant_builder_add(&settled, "(ui@" FRONTIER_BYTES "u)", one->step, one->source,
		                      pack_taken(&one->answer), one->depth);
	}
	g_variant_builder_init(&questions, G_VARIANT_TYPE(FRONTIER_QUESTIONS));
	for (guint i = 0; index > 0 && i < explorer->questions->len; i++) {
		const struct question *one = &g_array_index(explorer->questions, struct question,
		                                            i);

		g_variant_builder_add(&questions, "(u@" FRONTIER_BYTES ")", one->step,
		                      pack_taken(&one->answer));
	}
	g_variant_builder_init(&asking, G_VARIANT_TYPE(FRONTIER_ASKING));
	for (guint i = 0; index > 0 && i < explorer->destinations->len; i++)
		pack_asking(explorer, &asking, explorer->destinations->pdata[i]);
	packed = g_variant_ref_sink(g_variant_new(
		"(bb@" FRONTIER_BYTES FRONTIER_STEPS FRONTIER_SETTLED FRONTIER_QUESTIONS
			FRONTIER_ASKING ")",
		(gboolean)explorer->started, cut, pack_choices(index > 0 ? explorer->path : NULL),
		&steps, &settled, &questions, &asking));
	/* Makes one block of bytes of it: before, it is thousands of small blocks. */
	g_variant_get_data(packed);
	return packed;
}

/* The number of steps up to the deepest at which something waits. */
static guint depth_waiting(const struct explorer *explorer)
{
	guint index = explorer->steps->len;

	while (index > 0 && step_waiting(explorer, index - 1) == 0)
		index--;
	return index;
}

void explorer_trim(struct explorer *explorer)
{
	guint index = depth_waiting(explorer);

	if (!explorer->cut && index > 0)
		explorer_go_back(explorer, index - 1);
}

GVariant *explorer_save(struct explorer *explorer)
{
	explorer_trim(explorer);
	if (explorer->cut)
		return pack(explorer, explorer->steps->len, true, true);
	return pack(explorer, depth_waiting(explorer), false, true);
}

GVariant *explorer_save_running(const struct explorer *explorer)
{
	return pack(explorer, explorer->steps->len, true, true);
}

/* --- loading ------------------------------------------------------------------------------ */

static struct choice_bytes bytes_of(GVariant *packed)
{
	struct choice_bytes bytes;

	bytes.data = g_variant_get_fixed_array(packed, &bytes.left, 1);
	return bytes;
}

/* The unpack functions take ownership of `packed`. */
static bool unpack_point(GVariant *packed, struct point *ret)
{
	struct choice_bytes bytes = bytes_of(packed);
	bool good = point_take(&bytes, ret) && bytes.left == 0;

	g_variant_unref(packed);
	return good;
}

static bool unpack_taken(GVariant *packed, struct taken *ret)
{
	struct choice_bytes bytes = bytes_of(packed);
	bool good = taken_take(&bytes, ret) && bytes.left == 0;

	g_variant_unref(packed);
	return good;
}

static bool unpack_choices(GVariant *packed, GArray *choices)
{
	struct choice_bytes bytes = bytes_of(packed);
	bool good = choices_take(&bytes, choices) && bytes.left == 0;

	g_variant_unref(packed);
	return good;
}

/* Takes ownership of the counts. */
static struct cost unpack_cost(guint deviations, GVariant *counts)
{
	struct cost cost = {deviations, NULL};
	gsize count;
	const guint32 *values = g_variant_get_fixed_array(counts, &count, sizeof(guint32));

	if (count > 0) {
		cost.counts = g_array_new(false, false, sizeof(guint32));
		g_array_append_vals(cost.counts, values, (guint)count);
	}
	g_variant_unref(counts);
	return cost;
}

static void unpack_early(struct step *step, struct taken taken, GArray *needs)
{
	if (step->early) /* damaged, but harmless */
		alternative_free(step->early);
	step->early = g_new0(struct alternative, 1);
	step->early->choice = (struct choice){step->point, taken};
	step->early->needs = needs;
}

static bool unpack_waiting(struct explorer *explorer, struct step *step, GVariantIter *waiting)
{
	GVariant *packed, *needs, *counts;
	guint deviations;
	gboolean first; /* as GVariant returns it */
	bool good = true;

	while (good
	       && g_variant_iter_next(waiting, "(@" FRONTIER_BYTES "@" FRONTIER_BYTES "(u@au)b)",
	                              &packed, &needs, &deviations, &counts, &first)) {
		struct taken taken = {0};
		struct alternative *alternative;
		GArray *before = g_array_new(false, false, sizeof(struct choice));

		good = unpack_taken(packed, &taken);
		good = unpack_choices(needs, before) && good;
		if (deviations == COST_EARLY) {
			unpack_early(step, taken, before);
			g_variant_unref(counts);
			continue;
		}
		alternative = step_wait(step, taken, unpack_cost(deviations, counts));
		alternative->first = first;
		if (before->len > 0)
			alternative->needs = g_steal_pointer(&before);
		g_clear_pointer(&before, g_array_unref);
		explorer->statistics.waiting++;
	}
	return good;
}

/* The questions of a step that is at an alternative other than its first while the first one waits.
 * Takes ownership of both containers. */
static bool unpack_suspended(const struct explorer *explorer, struct step *step, GVariant *sources,
                             GVariantIter *answers)
{
	gsize count;
	const int32_t *values = g_variant_get_fixed_array(sources, &count, sizeof(int32_t));
	GVariant *packed;
	bool good = true;

	step->sources = g_array_new(false, false, sizeof(struct step_source));
	step->answers = g_array_new(false, false, sizeof(struct taken));
	for (gsize i = 0; good && i < count; i++) {
		struct step_source one = {0};

		if (values[i] < 0 && values[i] >= -(int32_t)TAKEN_AHEAD && i + 1 < count)
			one.ahead = (guint)-values[i++];
		one.source = values[i];
		good = one.source >= 0 && one.source < explorer->options.ranks;
		if (good)
			g_array_append_val(step->sources, one);
	}
	while (g_variant_iter_next(answers, "@" FRONTIER_BYTES, &packed)) {
		struct taken answer = {0};

		good = unpack_taken(packed, &answer) && good;
		g_array_append_val(step->answers, answer);
	}
	if (step->sources->len + step->answers->len == 0)
		step_ask_nothing(step);
	g_variant_unref(sources);
	g_variant_iter_free(answers);
	return good;
}

/* Belongs to what was unpacked last. */
static void unpack_complete(struct step *step, const struct complete_request *request)
{
	GArray *complete =
		step->sets && step->sets->len > 0
			? g_array_index(step->sets, struct step_sets, step->sets->len - 1).complete
			: step_add_sets(step, 0);

	g_array_append_vals(complete, request, 1);
}

/* A real rank, a lock or a word. */
static bool is_rank(int32_t rank)
{
	return (rank >= 0 && rank < MOST_RANK) || rank >= LOCK_FIRST_WORD;
}

/* Unpacks a step that comes after the first `*least` choices. */
static bool unpack_step(struct explorer *explorer, GVariant *packed, guint *least)
{
	const GPtrArray *steps = explorer->steps;
	int ranks = explorer->options.ranks;
	GVariantIter *waiting, *complete, *answers;
	GVariant *bytes, *sources, *counts;
	guint base, others, deviations, seen;
	gboolean first, asks_sets; /* as GVariant returns them */
	struct complete_request request;
	struct point point = {0};
	struct step *step;
	guint64 bounds;
	bool good;

	g_variant_get(packed,
	              "(@" FRONTIER_BYTES "tubu(u@au)u" FRONTIER_WAITING "ba(uu)@aia" FRONTIER_BYTES
	              ")",
	              &bytes, &bounds, &base, &first, &others, &deviations, &counts, &seen,
	              &waiting, &asks_sets, &complete, &sources, &answers);
	good = unpack_point(bytes, &point);
	step = step_new(point, ranks, base);
	g_ptr_array_add(explorer->steps, step);
	step->first = first;
	step->others = others & ~OTHERS_UNDECIDED;
	step->undecided = others & OTHERS_UNDECIDED;
	step->bounds = bounds;
	step->cost = unpack_cost(deviations, counts);
	step->seen = seen;
	good = unpack_waiting(explorer, step, waiting) && good;
	while (asks_sets && g_variant_iter_next(complete, "(uu)", &request.index, &request.depth)) {
		if (request.index & ASKS_AHEAD)
			step_add_sets(step, request.index & ~ASKS_AHEAD);
		else
			unpack_complete(step, &request);
	}
	if (asks_sets && !step->sets)
		step_add_sets(step, 0);
	good = unpack_suspended(explorer, step, sources, answers) && good;
	g_variant_iter_free(waiting);
	g_variant_iter_free(complete);
	good = good && base >= *least && base <= explorer->path->len && step->others <= steps->len
	       && seen > 0 && is_rank(step->id.rank);
	*least = base + 1;
	return good;
}

static bool unpack_steps(struct explorer *explorer, GVariantIter *steps)
{
	guint least = 0;
	GVariant *packed;
	bool good = true;

	while (good && (packed = g_variant_iter_next_value(steps))) {
		good = unpack_step(explorer, packed, &least);
		g_variant_unref(packed);
	}
	if (explorer->cut) /* the last step was made, after the choices that it needs */
		return good && (explorer->steps->len == 0 || least <= explorer->path->len);
	return good
	       && (explorer->steps->len == 0 ? explorer->path->len == 0
	                                     : least == explorer->path->len + 1);
}

static bool is_asking(const struct explorer *explorer, guint step, gint32 rank, gint32 source)
{
	return step < explorer->steps->len && source >= 0 && source < explorer->options.ranks
	       && ((const struct step *)explorer->steps->pdata[step])->id.rank == rank;
}

static GArray *asking_steps(struct explorer *explorer, gint32 rank, gint32 source)
{
	struct asking *asking = revisits_asking(explorer, rank, source);

	if (!asking->steps)
		asking->steps = g_array_new(false, false, sizeof(struct asker));
	return asking->steps;
}

static bool unpack_settled(struct explorer *explorer, GVariantIter *iter)
{
	struct settled one = {0};
	GVariant *packed;
	bool good = true;

	while (good
	       && g_variant_iter_next(iter, "(ui@" FRONTIER_BYTES "u)", &one.step, &one.source,
	                              &packed, &one.depth)) {
		good = unpack_taken(packed, &one.answer) && one.step < explorer->steps->len
		       && one.source < explorer->options.ranks;
		if (!good)
			break;
		if (one.source >= 0)
			asking_steps(explorer,
			             ((struct step *)explorer->steps->pdata[one.step])->id.rank,
			             one.source);
		g_array_append_val(explorer->settled, one);
	}
	return good;
}

static bool unpack_questions(struct explorer *explorer, GVariantIter *iter)
{
	struct question one = {0};
	GVariant *packed;

	while (g_variant_iter_next(iter, "(u@" FRONTIER_BYTES ")", &one.step, &packed)) {
		if (!unpack_taken(packed, &one.answer) || one.step >= explorer->steps->len)
			return false;
		g_array_append_val(explorer->questions, one);
	}
	return true;
}

static bool unpack_asking(struct explorer *explorer, GVariantIter *iter)
{
	gint32 rank, source;
	GVariantIter *steps;
	bool good = true;

	while (good && g_variant_iter_next(iter, "(iiau)", &rank, &source, &steps)) {
		struct asker one = {0};

		while (good && g_variant_iter_next(steps, "u", &one.step)) {
			if (one.step & ASKS_AHEAD) {
				one.ahead = one.step & ~ASKS_AHEAD;
				good = one.ahead > 0 && one.ahead <= TAKEN_AHEAD;
				continue;
			}
			good = is_asking(explorer, one.step, rank, source);
			if (good)
				g_array_append_val(asking_steps(explorer, rank, source), one);
			one.ahead = 0;
		}
		g_variant_iter_free(steps);
	}
	return good;
}

struct explorer *explorer_load(const struct explorer_options *options, GVariant *frontier)
{
	struct explorer *explorer = explorer_new(options);
	GVariantIter *steps, *settled, *questions, *asking;
	GVariant *path;
	bool started, cut;
	bool good;

	if (!g_variant_is_of_type(frontier, G_VARIANT_TYPE(FRONTIER_TYPE))
	    || !g_variant_is_normal_form(frontier)) {
		explorer_free(explorer);
		return NULL;
	}
	g_variant_get(frontier,
	              "(bb@" FRONTIER_BYTES FRONTIER_STEPS FRONTIER_SETTLED FRONTIER_QUESTIONS
	                      FRONTIER_ASKING ")",
	              &started, &cut, &path, &steps, &settled, &questions, &asking);
	explorer->started = started;
	explorer->cut = cut;
	good = unpack_choices(path, explorer->path) && unpack_steps(explorer, steps)
	       && unpack_settled(explorer, settled) && unpack_questions(explorer, questions)
	       && unpack_asking(explorer, asking);
	if (explorer->prefix && explorer->path->len > 0)
		g_array_free(g_steal_pointer(&explorer->prefix), true);
	g_variant_iter_free(steps);
	g_variant_iter_free(settled);
	g_variant_iter_free(questions);
	g_variant_iter_free(asking);
	revisits_block_all(explorer);
	if (good)
		return explorer;
	explorer_free(explorer);
	return NULL;
}

/* --- splitting ----------------------------------------------------------------------------- */

/* The shallowest step with waiting alternatives that can be given away; none: the number of
 * steps. */
static guint shallowest(const struct explorer *explorer)
{
	guint index = 0;

	while (index < explorer->steps->len
	       && (step_waiting(explorer, index) == 0 || step_at(explorer, index)->undecided))
		index++;
	return index;
}

double explorer_waiting_share(const struct explorer *explorer)
{
	double share = 0, reached = 1;

	for (guint i = 0; i < explorer->steps->len; i++) {
		reached /= step_at(explorer, i)->seen;
		share += reached * step_waiting(explorer, i);
	}
	return share;
}

/* Whether the last step has not been made: the search has returned to it. */
static bool is_back(const struct explorer *explorer)
{
	const struct step *step = last_step(explorer);

	return step && explorer->path->len == step->base;
}

/* The same search, returned to its step `index`, with nothing waiting. */
static struct explorer *copy_back(const struct explorer *explorer, guint index)
{
	g_autoptr(GVariant) whole = pack(explorer, explorer->steps->len, !is_back(explorer), false);
	struct explorer *other = explorer_load(&explorer->options, whole);

	other->cut = false;
	explorer_go_back(other, index);
	g_hash_table_unref(other->visited);
	other->visited = g_hash_table_ref(explorer->visited);
	return other;
}

/* Moves the last `count` alternatives that wait at the step. */
static void hand_over(struct explorer *explorer, struct explorer *other, guint index, guint count)
{
	struct step *from = step_at(explorer, index), *to = step_at(other, index);

	for (guint i = 0; i < count; i++)
		g_queue_push_head_link(&to->waiting, g_queue_pop_tail_link(&from->waiting));
	explorer->statistics.waiting -= count;
	other->statistics.waiting += count;
}

struct explorer *explorer_split(struct explorer *explorer, guint most, guint least)
{
	struct explorer *other;
	guint index;

	if (explorer->statistics.waiting < MAX(least, 1))
		return NULL;
	index = shallowest(explorer);
	if (index == explorer->steps->len)
		return NULL;
	other = copy_back(explorer, index);
	/* the last ones: the first ones are next in this search */
	hand_over(explorer, other, index, MIN(most, step_waiting(explorer, index)));
	return other;
}

struct explorer *explorer_detach(struct explorer *explorer, guint index, guint nth)
{
	struct explorer *other = copy_back(explorer, index);
	GQueue *waiting = &step_at(explorer, index)->waiting;

	g_queue_push_tail_link(waiting, g_queue_pop_nth_link(waiting, nth));
	hand_over(explorer, other, index, 1);
	return other;
}

guint explorer_split_width(const struct explorer *explorer)
{
	guint index = shallowest(explorer);

	return index < explorer->steps->len ? step_waiting(explorer, index) : 0;
}
