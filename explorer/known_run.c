/* The way of the first world to an outcome that is known from another run
 * (explorer_options.toward).
 *
 * That outcome has one spine (explorer.c). At each of its nodes the alternative that it takes is
 * open, or is a revisit. The first kind only changes the order of visits (explorer_turn). A revisit
 * would be added later, by the one world that is its first witness. But what has to be made before
 * follows from the trace of the known run: it is what the choice depends on there. So the first
 * world goes to that node at once. The step keeps what was visited so (`early`), and the witness
 * adds it no more.
 *
 * The answer "no" of a poll is taken first, always: only then is it known whether the others are
 * necessary. And a set of requests may be no alternative in this tree (explorer_options.some). If
 * the known run took something else there, the first world leaves it. */
#include "explorer_internal.h"

struct known_run {
	struct dependence *dependence; /* of its trace */
	GArray *choices;               /* struct choice, by number in its trace */
	GHashTable *numbers;           /* struct point in `choices`: its number + 1 */
	bool *made;                    /* by number: on the path */
};

static const struct choice *known_at(const struct known_run *run, guint number)
{
	return &g_array_index(run->choices, struct choice, number);
}

/* The choices as the trace has them: a text does not tell which of a rank's messages is meant. */
static void read_choices(struct known_run *run, const struct explorer_options *options)
{
	g_array_set_size(run->choices, dependence_choices(run->dependence));
	for (guint i = 0; i < options->toward->len; i++) {
		const struct point *point = &choice_at(options->toward, i)->point;
		struct taken taken;
		int number = dependence_choice(run->dependence,
		                               point_operation(point, options->ranks), &taken);

		if (number < 0)
			continue;
		g_array_index(run->choices, struct choice, (guint)number) = (struct choice){*point,
		                                                                            taken};
		g_hash_table_insert(run->numbers, (gpointer)&known_at(run, (guint)number)->point,
		                    GINT_TO_POINTER(number + 1));
	}
}

void explorer_read_known(struct explorer *explorer)
{
	struct known_run *run = g_new0(struct known_run, 1);

	explorer->known = run;
	explorer->heads_for_known = true;
	run->dependence = dependence_new();
	dependence_read(run->dependence, explorer->options.toward_trace);
	run->choices = g_array_new(false, true, sizeof(struct choice));
	run->numbers = g_hash_table_new(point_key_hash, point_key_equal);
	read_choices(run, &explorer->options);
	run->made = g_new0(bool, run->choices->len + 1);
}

static guint count_strayed(const struct explorer *explorer)
{
	const GArray *toward = explorer->options.toward;
	guint count = 0;

	for (guint i = 0; i < toward->len; i++) {
		const struct choice *known = choice_at(toward, i);
		const struct op_id id = point_operation(&known->point, explorer->options.ranks);
		struct taken made;

		count += dependence_choice(explorer->dependence, id, &made) < 0
		         || !taken_equal(&made, &known->taken);
	}
	return count;
}

void explorer_drop_known(struct explorer *explorer)
{
	struct known_run *run = g_steal_pointer(&explorer->known);

	if (!run)
		return;
	g_hash_table_unref(run->numbers);
	g_array_unref(run->choices);
	dependence_free(run->dependence);
	g_free(run->made);
	g_free(run);
}

void explorer_settle_known(struct explorer *explorer)
{
	if (explorer->heads_for_known)
		explorer->strayed = count_strayed(explorer);
	explorer->heads_for_known = false;
	explorer_drop_known(explorer);
}

guint explorer_strayed(const struct explorer *explorer)
{
	return explorer->strayed;
}

/* --- on the way to a revisit ------------------------------------------------------------------ */

static const struct taken *find_taken(const GArray *alternatives, const struct taken *taken)
{
	for (guint i = 0; i < alternatives->len; i++)
		if (taken_equal(&g_array_index(alternatives, struct taken, i), taken))
			return &g_array_index(alternatives, struct taken, i);
	return NULL;
}

enum explorer_step explorer_make_pending(struct explorer *explorer, const GArray *open,
                                         struct choice *ret_choice)
{
	const struct choice *next = choice_at(explorer->pending, 0);

	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);
		const struct taken *taken = point_equal(&one->point, &next->point)
		                                    ? find_taken(one->alternatives, &next->taken)
		                                    : NULL;

		if (!taken)
			continue;
		*ret_choice = (struct choice){one->point, *taken};
		g_array_remove_index(explorer->pending, 0);
		return EXPLORER_TAKE;
	}
	return EXPLORER_STUCK;
}

void explorer_undo_pending(struct explorer *explorer)
{
	struct step *step = last_step(explorer);

	g_array_set_size(explorer->pending, 0);
	g_clear_pointer(&step->early, alternative_free);
	step->seen--;
	g_array_set_size(explorer->path, step->base);
	explorer_take_first_later(explorer);
	explorer_drop_known(explorer);
	explorer->cut = true;
}

/* The choices that have to be made before this one, in the order of the known run. None: it is no
 * revisit. */
static GArray *find_needs(struct known_run *run, guint number, int ranks)
{
	GArray *needed = g_array_new(false, false, sizeof(struct choice));
	struct choice_set *needs = dependence_needs(
		run->dependence, point_operation(&known_at(run, number)->point, ranks));

	for (guint i = 0; i < run->choices->len; i++) {
		if (i == number || run->made[i] || !choice_set_has(needs, i))
			continue;
		g_array_append_vals(needed, known_at(run, i), 1);
		run->made[i] = true;
	}
	choice_set_unref(needs);
	return needed;
}

/* The step made last takes this revisit instead of its first alternative. */
static void go_to_revisit(struct explorer *explorer, guint number, GArray *needs)
{
	struct step *step = last_step(explorer);
	const struct choice *choice = known_at(explorer->known, number);
	const struct cost cost = cost_plus(&step->cost, step->bounds);

	explorer_put_off_first(explorer);
	step->cost = cost;
	step->first = false;
	step->others = explorer->steps->len;
	step->seen++;
	step->early = g_new0(struct alternative, 1);
	step->early->choice = *choice;
	step->early->needs = needs;
	g_array_set_size(explorer->path, step->base);
	g_array_append_vals(explorer->path, needs->data, needs->len);
	g_array_append_vals(explorer->path, choice, 1);
	g_array_append_vals(explorer->pending, choice_at(explorer->path, step->base),
	                    needs->len + 1);
}

/* --- at a node -------------------------------------------------------------------------------- */

/* Whether the step made last takes what the known run took, or will after its needs. */
static bool take_known(struct explorer *explorer, const struct open_choice *open, guint number,
                       struct choice *ret_choice)
{
	const struct choice *known = known_at(explorer->known, number);
	const struct taken *taken = find_taken(open->alternatives, &known->taken);
	GArray *needs;

	if (taken && taken_equal(taken, &ret_choice->taken))
		return true;
	if (taken && explorer_turn(explorer, *taken)) {
		ret_choice->taken = *taken;
		return true;
	}
	if (taken || ret_choice->taken.kind == TAKEN_NO)
		return false;
	needs = find_needs(explorer->known, number, explorer->options.ranks);
	if (needs->len == 0) {
		g_array_unref(needs);
		return false;
	}
	go_to_revisit(explorer, number, needs);
	return true;
}

enum explorer_step explorer_take_known(struct explorer *explorer, const GArray *open,
                                       struct choice *ret_choice)
{
	const struct open_choice *first = &g_array_index(open, struct open_choice, 0);
	struct known_run *run = explorer->known;
	const guint number = GPOINTER_TO_UINT(g_hash_table_lookup(run->numbers, &first->point));

	if (number == 0) /* the known run had not come so far */
		return EXPLORER_TAKE;
	if (!take_known(explorer, first, number - 1, ret_choice)) {
		explorer_drop_known(explorer);
		return EXPLORER_TAKE;
	}
	run->made[number - 1] = true;
	return explorer->pending->len > 0 ? explorer_make_pending(explorer, open, ret_choice)
	                                  : EXPLORER_TAKE;
}
