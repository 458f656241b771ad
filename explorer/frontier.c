#include "frontier.h"

#include "answer.h"
#include "explorer_internal.h"

/* Why a part of the tree can be explored by itself: an alternative that waits at a step is explored
 * with the steps before it as they stand, those at their first alternative still asking. What is
 * late there and shows up in its worlds is told by one of them alone (explorer.c), and so is known
 * to whoever runs that world and to nobody else. The step itself no longer asks. */

#define MOST_RANK (1 << 24)

static GVariant *pack_op(struct op_id op)
{
	return g_variant_new("(iuu)", op.rank, op.call, op.sub);
}

static GVariant *pack_choices(const GArray *choices)
{
	GVariantBuilder builder;

	g_variant_builder_init(&builder, G_VARIANT_TYPE(FRONTIER_CHOICES));
	for (guint i = 0; choices && i < choices->len; i++) {
		const struct choice *choice = &g_array_index(choices, struct choice, i);

		g_variant_builder_add(&builder, "(@(iuu)@(iuu))", pack_op(choice->point),
		                      pack_op(choice->taken));
	}
	return g_variant_builder_end(&builder);
}

static GVariant *pack_cost(const struct cost *cost)
{
	const GArray *counts = cost->counts;

	return g_variant_new("(u@au)", cost->deviations,
	                     g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32,
	                                               counts ? counts->data : NULL,
	                                               counts ? counts->len : 0, sizeof(guint32)));
}

static GVariant *pack_sources(const GArray *sources)
{
	return g_variant_new_fixed_array(G_VARIANT_TYPE_INT32, sources ? sources->data : NULL,
	                                 sources ? sources->len : 0, sizeof(int32_t));
}

static GVariant *pack_step(const struct step *step, gboolean with_waiting)
{
	GVariantBuilder waiting, complete, answers;

	g_variant_builder_init(&waiting, G_VARIANT_TYPE(FRONTIER_WAITING));
	for (GList *item = step->waiting.head; item && with_waiting; item = item->next) {
		const struct alternative *alternative = item->data;

		g_variant_builder_add(&waiting, "(@(iuu)@" FRONTIER_CHOICES "@(uau)b)",
		                      pack_op(alternative->choice.taken),
		                      pack_choices(alternative->needs),
		                      pack_cost(&alternative->cost), (gboolean)alternative->first);
	}
	g_variant_builder_init(&answers, G_VARIANT_TYPE("a(iuu)"));
	for (guint i = 0; step->answers && i < step->answers->len; i++)
		g_variant_builder_add_value(&answers,
		                            pack_op(g_array_index(step->answers, struct op_id, i)));
	g_variant_builder_init(&complete, G_VARIANT_TYPE("a(uu)"));
	for (guint i = 0; step->complete && i < step->complete->len; i++) {
		const struct complete_request *request = &g_array_index(step->complete,
		                                                        struct complete_request, i);

		g_variant_builder_add(&complete, "(uu)", request->index, request->depth);
	}
	return g_variant_new("(@(iuu)tubu@(uau)u" FRONTIER_WAITING "ba(uu)@aia(iuu))",
	                     pack_op(step->point), step->bounds, step->base, (gboolean)step->first,
	                     step->others, pack_cost(&step->cost), step->seen, &waiting,
	                     (gboolean)(step->complete != NULL), &complete,
	                     pack_sources(step->sources), &answers);
}

static void pack_asking(const struct explorer *explorer, GVariantBuilder *builder, gint32 rank)
{
	const struct destination *destination = explorer->destinations->pdata[rank];

	for (gint32 source = 0; destination && source < explorer->options.ranks; source++) {
		const GArray *steps = destination->asking[source].steps;

		if (steps && steps->len > 0)
			g_variant_builder_add(builder, "(ii@au)", rank, source,
			                      g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32,
			                                                steps->data, steps->len,
			                                                sizeof(guint)));
	}
}

static guint step_waiting(const struct explorer *explorer, guint index)
{
	return g_queue_get_length(&((struct step *)explorer->steps->pdata[index])->waiting);
}

/* With the first `index` steps. */
static GVariant *pack(const struct explorer *explorer, guint index, gboolean cut,
                      gboolean with_waiting)
{
	GVariantBuilder steps, settled, questions, asking;

	g_variant_builder_init(&steps, G_VARIANT_TYPE(FRONTIER_STEPS));
	for (guint i = 0; i < index; i++)
		g_variant_builder_add_value(&steps,
		                            pack_step(explorer->steps->pdata[i], with_waiting));
	g_variant_builder_init(&settled, G_VARIANT_TYPE("a(ui(iuu)u)"));
	for (guint i = 0; index > 0 && i < explorer->settled->len; i++) {
		const struct settled *one = &g_array_index(explorer->settled, struct settled, i);

		g_variant_builder_add(&settled, "(ui@(iuu)u)", one->step, one->source,
		                      pack_op(one->answer), one->depth);
	}
	g_variant_builder_init(&questions, G_VARIANT_TYPE("a(u(iuu))"));
	for (guint i = 0; index > 0 && i < explorer->questions->len; i++) {
		const struct question *one = &g_array_index(explorer->questions, struct question,
		                                            i);

		g_variant_builder_add(&questions, "(u@(iuu))", one->step, pack_op(one->answer));
	}
	g_variant_builder_init(&asking, G_VARIANT_TYPE("a(iiau)"));
	for (guint rank = 0; index > 0 && rank < explorer->destinations->len; rank++)
		pack_asking(explorer, &asking, (gint32)rank);
	return g_variant_ref_sink(g_variant_new(
		"(bb@" FRONTIER_CHOICES FRONTIER_STEPS "a(ui(iuu)u)a(u(iuu))a(iiau))",
		(gboolean)explorer->started, cut, pack_choices(index > 0 ? explorer->path : NULL),
		&steps, &settled, &questions, &asking));
}

/* How many steps there are up to the deepest at which something waits. */
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
		return pack(explorer, explorer->steps->len, TRUE, TRUE);
	return pack(explorer, depth_waiting(explorer), FALSE, TRUE);
}

GVariant *explorer_save_running(const struct explorer *explorer)
{
	return pack(explorer, explorer->steps->len, TRUE, TRUE);
}

/* --- back ---------------------------------------------------------------------------------- */

static void unpack_choices(GVariantIter *iter, GArray *choices)
{
	struct op_id point, taken;

	while (g_variant_iter_next(iter, "((iuu)(iuu))", &point.rank, &point.call, &point.sub,
	                           &taken.rank, &taken.call, &taken.sub)) {
		struct choice choice = {point, taken};

		g_array_append_val(choices, choice);
	}
}

/* Takes the counts over. */
static struct cost unpack_cost(guint deviations, GVariant *counts)
{
	struct cost cost = {deviations, NULL};
	gsize count;
	const guint32 *values = g_variant_get_fixed_array(counts, &count, sizeof(guint32));

	if (count > 0) {
		cost.counts = g_array_new(FALSE, FALSE, sizeof(guint32));
		g_array_append_vals(cost.counts, values, (guint)count);
	}
	g_variant_unref(counts);
	return cost;
}

static void unpack_waiting(struct explorer *explorer, struct step *step, GVariantIter *waiting)
{
	struct op_id taken;
	GVariantIter *needs;
	GVariant *counts;
	guint deviations;
	gboolean first;

	while (g_variant_iter_next(waiting, "((iuu)" FRONTIER_CHOICES "(u@au)b)", &taken.rank,
	                           &taken.call, &taken.sub, &needs, &deviations, &counts, &first)) {
		struct alternative *alternative = step_wait(step, taken,
		                                            unpack_cost(deviations, counts));

		alternative->first = first;
		if (g_variant_iter_n_children(needs) > 0) {
			alternative->needs = g_array_new(FALSE, FALSE, sizeof(struct choice));
			unpack_choices(needs, alternative->needs);
		}
		g_variant_iter_free(needs);
		explorer->statistics.waiting++;
	}
}

/* What a step asks for when it stands at an alternative that was put aside; takes both over. */
static bool unpack_aside(const struct explorer *explorer, struct step *step, GVariant *sources,
                         GVariantIter *answers)
{
	gsize count;
	const int32_t *values = g_variant_get_fixed_array(sources, &count, sizeof(int32_t));
	struct op_id answer;
	bool good = true;

	step->sources = g_array_new(FALSE, FALSE, sizeof(int32_t));
	step->answers = g_array_new(FALSE, FALSE, sizeof(struct op_id));
	for (gsize i = 0; i < count; i++)
		good = good && values[i] >= 0 && values[i] < explorer->options.ranks;
	g_array_append_vals(step->sources, values, good ? (guint)count : 0);
	while (g_variant_iter_next(answers, "(iuu)", &answer.rank, &answer.call, &answer.sub))
		g_array_append_val(step->answers, answer);
	if (step->sources->len + step->answers->len == 0)
		step_ask_nothing(step);
	g_variant_unref(sources);
	g_variant_iter_free(answers);
	return good;
}

static bool unpack_steps(struct explorer *explorer, GVariantIter *steps)
{
	GVariantIter *waiting, *complete, *answers;
	GVariant *sources;
	guint base, others, deviations, seen, least = 0;
	gboolean first, asks_sets;
	struct op_id point;
	GVariant *counts;
	guint64 bounds;
	bool good = true;

	while (good
	       && g_variant_iter_next(
		       steps, "((iuu)tubu(u@au)u" FRONTIER_WAITING "ba(uu)@aia(iuu))", &point.rank,
		       &point.call, &point.sub, &bounds, &base, &first, &others, &deviations,
		       &counts, &seen, &waiting, &asks_sets, &complete, &sources, &answers)) {
		struct step *step = step_new(point, base);
		struct complete_request request;

		step->first = first;
		step->others = others;
		step->bounds = bounds;
		step->cost = unpack_cost(deviations, counts);
		step->seen = seen;
		unpack_waiting(explorer, step, waiting);
		if (asks_sets)
			step->complete = g_array_new(FALSE, FALSE, sizeof request);
		while (asks_sets
		       && g_variant_iter_next(complete, "(uu)", &request.index, &request.depth))
			g_array_append_val(step->complete, request);
		good = unpack_aside(explorer, step, sources, answers);
		g_variant_iter_free(waiting);
		g_variant_iter_free(complete);
		g_ptr_array_add(explorer->steps, step);
		good = good && base >= least && base <= explorer->path->len
		       && others <= explorer->steps->len && seen > 0 && point.rank >= 0
		       && point.rank < MOST_RANK;
		least = base + 1;
	}
	if (explorer->cut) /* the last step has been made, with what it needs before it */
		return good && (explorer->steps->len == 0 || least <= explorer->path->len);
	return good
	       && (explorer->steps->len == 0 ? explorer->path->len == 0
	                                     : least == explorer->path->len + 1);
}

static bool is_asking(const struct explorer *explorer, guint step, gint32 rank, gint32 source)
{
	return step < explorer->steps->len && source >= 0 && source < explorer->options.ranks
	       && ((const struct step *)explorer->steps->pdata[step])->point.rank == rank;
}

static GArray *asking_steps(struct explorer *explorer, gint32 rank, gint32 source)
{
	struct asking *asking = late_asking(explorer, rank, source);

	if (!asking->steps)
		asking->steps = g_array_new(FALSE, FALSE, sizeof(guint));
	return asking->steps;
}

static bool unpack_settled(struct explorer *explorer, GVariantIter *iter)
{
	struct settled one;
	bool good = true;

	while (good
	       && g_variant_iter_next(iter, "(ui(iuu)u)", &one.step, &one.source, &one.answer.rank,
	                              &one.answer.call, &one.answer.sub, &one.depth)) {
		good = one.step < explorer->steps->len && one.source < explorer->options.ranks;
		if (!good)
			break;
		if (one.source >= 0)
			asking_steps(explorer,
			             ((struct step *)explorer->steps->pdata[one.step])->point.rank,
			             one.source);
		g_array_append_val(explorer->settled, one);
	}
	return good;
}

static bool unpack_questions(struct explorer *explorer, GVariantIter *iter)
{
	struct question one;

	while (g_variant_iter_next(iter, "(u(iuu))", &one.step, &one.answer.rank, &one.answer.call,
	                           &one.answer.sub)) {
		if (one.step >= explorer->steps->len)
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
		guint step;

		while (good && g_variant_iter_next(steps, "u", &step)) {
			good = is_asking(explorer, step, rank, source);
			if (good)
				g_array_append_val(asking_steps(explorer, rank, source), step);
		}
		g_variant_iter_free(steps);
	}
	return good;
}

struct explorer *explorer_load(const struct explorer_options *options, GVariant *frontier)
{
	struct explorer *explorer = explorer_new(options);
	GVariantIter *path, *steps, *settled, *questions, *asking;
	gboolean started, cut;
	bool good;

	if (!g_variant_is_of_type(frontier, G_VARIANT_TYPE(FRONTIER_TYPE))
	    || !g_variant_is_normal_form(frontier)) {
		explorer_free(explorer);
		return NULL;
	}
	g_variant_get(frontier, FRONTIER_TYPE, &started, &cut, &path, &steps, &settled, &questions,
	              &asking);
	explorer->started = started;
	explorer->cut = cut;
	unpack_choices(path, explorer->path);
	good = unpack_steps(explorer, steps) && unpack_settled(explorer, settled)
	       && unpack_questions(explorer, questions) && unpack_asking(explorer, asking);
	g_variant_iter_free(path);
	g_variant_iter_free(steps);
	g_variant_iter_free(settled);
	g_variant_iter_free(questions);
	g_variant_iter_free(asking);
	for (guint rank = 0; rank < explorer->destinations->len; rank++)
		if (explorer->destinations->pdata[rank])
			((struct destination *)explorer->destinations->pdata[rank])->blocked = true;
	if (good)
		return explorer;
	explorer_free(explorer);
	return NULL;
}

/* --- apart --------------------------------------------------------------------------------- */

/* Whether what waits at the step may be for nothing: the world that runs has told a poll "no"
 * there, and may be asked again (EVENT_REPEAT). */
static bool is_in_doubt(const struct explorer *explorer, guint index)
{
	const struct step *step = step_at(explorer, index);

	return index >= explorer->begun && step->first && step->base < explorer->path->len
	       && answer_kind(choice_at(explorer->path, step->base)->taken) == ANSWER_NO;
}

/* The shallowest step at which something waits that can be given away; the count: there is none. */
static guint shallowest(const struct explorer *explorer)
{
	guint index = 0;

	while (index < explorer->steps->len
	       && (step_waiting(explorer, index) == 0 || is_in_doubt(explorer, index)))
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

/* Whether the last step has not been made: the search has gone back to it. */
static gboolean is_back(const struct explorer *explorer)
{
	const struct step *step = last_step(explorer);

	return step && explorer->path->len == step->base;
}

/* The same search back at its step `index`, with nothing waiting. */
static struct explorer *copy_back(const struct explorer *explorer, guint index)
{
	g_autoptr(GVariant) whole = pack(explorer, explorer->steps->len, !is_back(explorer), FALSE);
	struct explorer *other = explorer_load(&explorer->options, whole);

	other->cut = false;
	explorer_go_back(other, index);
	g_hash_table_unref(other->visited);
	other->visited = g_hash_table_ref(explorer->visited);
	return other;
}

/* So many of the last that wait at the step. */
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
	/* the last ones: a step's first are this search's next */
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
