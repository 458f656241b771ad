#include "spine.h"

void alternative_free(struct alternative *alternative)
{
	if (alternative->needs)
		g_array_free(alternative->needs, true);
	cost_release(&alternative->cost);
	g_free(alternative);
}

struct step *step_new(struct point point, int ranks, guint base)
{
	struct step *step = g_new0(struct step, 1);

	step->point = point;
	step->id = point_operation(&point, ranks);
	step->base = base;
	step->first = true;
	step->seen = 1;
	step->events = STEP_UNKNOWN;
	g_queue_init(&step->waiting);
	return step;
}

void step_ask_nothing(struct step *step)
{
	if (step->sources)
		g_array_free(g_steal_pointer(&step->sources), true);
	if (step->answers)
		g_array_free(g_steal_pointer(&step->answers), true);
}

void step_free(struct step *step)
{
	g_queue_clear_full(&step->waiting, (GDestroyNotify)alternative_free);
	g_clear_pointer(&step->early, alternative_free);
	if (step->sets)
		g_array_unref(step->sets);
	step_ask_nothing(step);
	cost_release(&step->cost);
	g_free(step);
}

static void sets_clear(void *sets)
{
	g_array_unref(((struct step_sets *)sets)->complete);
}

GArray *step_add_sets(struct step *step, guint ahead)
{
	struct step_sets sets = {ahead, g_array_new(false, false, sizeof(struct complete_request))};

	if (!step->sets) {
		step->sets = g_array_new(false, false, sizeof(sets));
		g_array_set_clear_func(step->sets, sets_clear);
	}
	g_array_append_val(step->sets, sets);
	return sets.complete;
}

GArray *step_find_sets(const struct step *step, guint ahead)
{
	for (guint i = 0; step->sets && i < step->sets->len; i++) {
		const struct step_sets *sets = &g_array_index(step->sets, struct step_sets, i);

		if (sets->ahead == ahead)
			return sets->complete;
	}
	return NULL;
}

void step_forget_complete(struct step *step, guint depth)
{
	for (guint i = 0; step->sets && i < step->sets->len; i++) {
		GArray *complete = g_array_index(step->sets, struct step_sets, i).complete;
		guint count = complete->len;

		while (count > 0
		       && g_array_index(complete, struct complete_request, count - 1).depth > depth)
			count--;
		g_array_set_size(complete, count);
	}
}

struct alternative *step_wait(struct step *step, struct taken taken, struct cost cost)
{
	struct alternative *alternative = g_new0(struct alternative, 1);

	alternative->choice = (struct choice){step->point, taken};
	alternative->cost = cost;
	g_queue_push_tail(&step->waiting, alternative);
	return alternative;
}

static const struct choice *choice_at(const GArray *choices, guint index)
{
	return &g_array_index(choices, struct choice, index);
}

/* Where the requested choices are on the path. */
struct holder {
	const GArray *choices;
	guint *place; /* [i]: place of choice i on the path; not there: the path's length */
	guint *count; /* [i]: number of requested choices before place i of the path */
};

static void holder_init(struct holder *holder, const GArray *path, const GArray *choices)
{
	g_autoptr(GHashTable) places = g_hash_table_new(choice_key_hash, choice_key_equal);

	holder->choices = choices;
	holder->place = g_new(guint, choices->len);
	holder->count = g_new0(guint, path->len + 1);
	for (guint i = 0; i < path->len; i++)
		g_hash_table_insert(places, (gpointer)choice_at(path, i), GUINT_TO_POINTER(i + 1));
	for (guint i = 0; i < choices->len; i++) {
		gpointer place = g_hash_table_lookup(places, choice_at(choices, i));

		holder->place[i] = place ? GPOINTER_TO_UINT(place) - 1 : path->len;
		if (place)
			holder->count[GPOINTER_TO_UINT(place)]++;
	}
	for (guint i = 1; i <= path->len; i++)
		holder->count[i] += holder->count[i - 1];
}

static void holder_release(struct holder *holder)
{
	g_free(holder->place);
	g_free(holder->count);
}

/* Whether the plan that takes this alternative at this step contains all of the choices. */
static bool plan_contains(const struct holder *holder, const struct step *step,
                          const struct alternative *alternative)
{
	guint more = alternative->needs ? alternative->needs->len : 0;

	if (holder->choices->len - holder->count[step->base] > more + 1)
		return false;
	for (guint i = 0; i < holder->choices->len; i++) {
		const struct choice *choice = choice_at(holder->choices, i);
		bool found = holder->place[i] < step->base
		             || choice_equal(choice, &alternative->choice);

		for (guint k = 0; k < more && !found; k++)
			found = choice_equal(choice, choice_at(alternative->needs, k));
		if (!found)
			return false;
	}
	return true;
}

bool spine_needs(const GPtrArray *steps, const GArray *path, const GArray *choices)
{
	struct holder holder;
	bool found = false;

	holder_init(&holder, path, choices);
	for (guint i = steps->len; i > 0 && !found; i--) {
		const struct step *step = g_ptr_array_index(steps, i - 1);

		for (GList *item = step->waiting.head; item && !found; item = item->next)
			found = plan_contains(&holder, step, item->data);
	}
	holder_release(&holder);
	return found;
}
