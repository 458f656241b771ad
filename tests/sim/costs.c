#include "costs.h"

#include "explorer/choice.h"
#include "play.h"

struct costs {
	struct play_options options;
	const uint64_t *bounds_of;
	guint count;
	guint *costs;
};

/* A world in which those of the choices that are possible have been made. */
static struct play *play_with(const struct costs *costs, const GArray *choices,
                              const GArray *others)
{
	const GArray *both[] = {choices, others};
	struct play *play = play_new(&costs->options);
	bool moved = true;

	play_run(play);
	while (moved) {
		moved = false;
		for (guint i = 0; i < G_N_ELEMENTS(both); i++) {
			for (guint k = 0; both[i] && k < both[i]->len; k++) {
				const struct choice *choice = &g_array_index(both[i], struct choice,
				                                             k);

				if (choices_find(play_choices(play), &choice->point)
				    || !play_choose(play, choice))
					continue;
				play_run(play);
				moved = true;
			}
		}
	}
	return play;
}

static bool possible(const struct costs *costs, const GArray *choices, const GArray *others,
                     const struct choice *wanted)
{
	struct play *play = play_with(costs, choices, others);
	bool allowed = play_choose(play, wanted);

	play_free(play);
	return allowed;
}

/* The choices of `target` without which this one cannot be made at the node `made`. */
static GArray *needs_of(const struct costs *costs, const GArray *made, const GArray *target,
                        const struct choice *wanted)
{
	GArray *needs = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < target->len; i++) {
		const struct choice *choice = &g_array_index(target, struct choice, i);

		if (!choices_find(made, &choice->point)
		    && !point_equal(&choice->point, &wanted->point))
			g_array_append_vals(needs, choice, 1);
	}
	for (guint i = needs->len; i-- > 0;) {
		struct choice left = g_array_index(needs, struct choice, i);

		g_array_remove_index(needs, i);
		if (!possible(costs, made, needs, wanted))
			g_array_insert_val(needs, i, left);
	}
	g_assert_true(possible(costs, made, needs, wanted));
	return needs;
}

static void count(struct costs *costs, const struct play *play, const struct point *point)
{
	uint64_t bounds = costs->bounds_of[play_instruction(play, point)];

	for (guint i = 0; i < costs->count; i++)
		costs->costs[i] += (guint)(bounds >> i & 1);
}

static bool is_open(const struct open_choice *open, const struct taken *taken)
{
	for (guint i = 0; i < open->alternatives->len; i++)
		if (taken_equal(&g_array_index(open->alternatives, struct taken, i), taken))
			return true;
	return false;
}

static bool all_made(const GArray *made, const GArray *target)
{
	for (guint i = 0; i < target->len; i++)
		if (!choices_find(made, &g_array_index(target, struct choice, i).point))
			return false;
	return true;
}

/* Continues from the node `made`, which grows, until all of `target` has been made. At each node
 * the first open point takes what `target` contains, or the default. */
static void go(struct costs *costs, GArray *made, const GArray *target)
{
	while (!all_made(made, target)) {
		struct play *play = play_with(costs, made, NULL);
		GArray *open = play_open(play);
		const struct open_choice *first = &g_array_index(open, struct open_choice, 0);
		struct choice choice = {first->point,
		                        g_array_index(first->alternatives, struct taken, 0)};
		const struct choice *wanted = choices_find(target, &first->point);

		g_assert_cmpuint(play_choices(play)->len, ==, made->len);
		g_assert_cmpuint(open->len, >, 0);
		if (wanted && !is_open(first, &wanted->taken)) {
			g_autoptr(GArray) needs = needs_of(costs, made, target, wanted);
			g_autoptr(GArray) witness = g_array_copy(made);

			g_array_append_val(witness, choice);
			go(costs, witness, needs);
			g_array_append_vals(made, needs->data, needs->len);
		}
		if (wanted && !taken_equal(&wanted->taken, &choice.taken)) {
			count(costs, play, &first->point);
			choice.taken = wanted->taken;
		}
		g_array_append_val(made, choice);
		open_choices_free(open);
		play_free(play);
	}
}

void outcome_costs(const struct random_program *program, enum program_buffering buffering,
                   const uint64_t *bounds_of, const GArray *choices, guint count_of_bounds,
                   guint *ret_costs)
{
	struct costs costs = {{program, buffering, TAKEN_WINDOW, g_rand_new_with_seed(1),
	                       communicators_new(program->ranks), false},
	                      bounds_of,
	                      count_of_bounds,
	                      ret_costs};
	g_autoptr(GArray) made = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < count_of_bounds; i++)
		ret_costs[i] = 0;
	go(&costs, made, choices);
	communicators_free(costs.options.comms);
	g_rand_free(costs.options.random);
}
