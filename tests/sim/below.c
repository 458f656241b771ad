#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "below.h"
#include "brute_force.h"
#include "exploration.h"
#include "explorer/choice.h"

static bool contains(const GArray *all, const GArray *some)
{
	for (guint i = 0; i < some->len; i++) {
		const struct choice *choice = &g_array_index(some, struct choice, i);
		const struct choice *made = choices_find(all, &choice->point);

		if (!made || !choice_equal(made, choice))
			return false;
	}
	return true;
}

static GHashTable *outcomes_with(GHashTable *all, const GArray *from)
{
	GHashTable *some = g_hash_table_new(g_bytes_hash, g_bytes_equal);
	GHashTableIter iter;
	gpointer outcome, choices;

	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, &outcome, &choices))
		if (contains(choices, from))
			g_hash_table_add(some, outcome);
	return some;
}

/* The first of the choices that led to an outcome. As in a path that was read from text, the
 * message of a rank is not identified. */
static GArray *some_choices(const GArray *made, GRand *random)
{
	GArray *from = g_array_new(false, false, sizeof(struct choice));

	g_array_append_vals(from, made->data,
	                    (guint)g_rand_int_range(random, 0, (gint32)made->len + 1));
	for (guint i = 0; i < from->len; i++) {
		struct taken *taken = &g_array_index(from, struct choice, i).taken;

		if (taken->kind == TAKEN_MESSAGE)
			taken->send.call = taken->send.sub = 0;
	}
	return from;
}

/* Returns the number of nodes compared. */
static guint compare_below(const struct random_program *program, struct exploration_options options,
                           GHashTable *all, const GArray *from)
{
	GHashTable *expected = outcomes_with(all, from);
	guint count = g_hash_table_size(expected);
	struct exploration found;

	options.from = from;
	explore(program, &options, &found);
	if (!outcomes_equal(expected, found.outcomes))
		print_message("seed %" G_GUINT64_FORMAT ", %u choices: %u of %u outcomes\n",
		              program->seed, from->len, g_hash_table_size(found.outcomes), count);
	assert_true(outcomes_equal(expected, found.outcomes));
	assert_int_equal(found.runs, count);
	assert_int_equal(found.repeated + found.lost + found.dropped, 0);
	exploration_release(&found);
	g_hash_table_destroy(expected);
	return count;
}

/* Below each of some nodes: exactly the outcomes that contain its choices, each once, also if the
 * search is saved, split or stopped before it gets there. */
void test_below(void **state)
{
	int programs = *(int *)*state;
	guint outcomes = 0, left = 0;

	for (guint64 seed = 1; seed <= (guint64)(programs / 4); seed++) {
		GRand *random = g_rand_new_with_seed((guint32)seed);
		struct random_program *program = random_program_new(seed, 6);
		struct exploration_options options = {.buffering = seed % 2 ? PROGRAM_ZERO
		                                                            : PROGRAM_INFINITE,
		                                      .snapshots = seed % 3 > 0,
		                                      .deviations = -1,
		                                      .seed = seed};
		struct exploration all;
		GHashTableIter iter;
		gpointer choices;

		explore(program, &options, &all);
		options.pooled = seed % 5 == 0;
		g_hash_table_iter_init(&iter, all.outcomes);
		for (int i = 0; i < 4 && g_hash_table_iter_next(&iter, NULL, &choices); i++) {
			g_autoptr(GArray) from = some_choices(choices, random);

			options.apart = i % 2 == 1;
			outcomes += compare_below(program, options, all.outcomes, from);
			left += all.runs;
		}
		exploration_release(&all);
		random_program_free(program);
		g_rand_free(random);
	}
	print_message("%u outcomes of %u below some node\n", outcomes, left);
	assert_true(outcomes > left / 20 && outcomes < left);
}
