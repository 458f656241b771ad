/* The search against brute force: the same outcomes, each exactly once, no run wasted.
 *
 * sim_search [--programs N] [--seed S] [--size M] [--states N]; on a difference, the seed of the
 * program is printed, and --programs 1 --seed S shows it again. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "brute_force.h"
#include "fake_world.h"

static int programs = 1500;
static gint64 first_seed = 1;
static int size = 0;
static int most_states = 5000;

struct totals {
	guint explored;
	guint reduced;
	guint too_large;
	guint outcomes;
	guint deadlocks;
	guint wasted;
	guint largest;
};

static void print_difference(const struct random_program *program, GHashTable *all,
                             GHashTable *others, const char *what)
{
	GHashTableIter iter;
	gpointer outcome;

	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, &outcome, NULL)) {
		g_autofree char *text = NULL;

		if (g_hash_table_contains(others, outcome))
			continue;
		text = outcome_describe(program, outcome);
		print_message("%s: %s\n", what, text);
	}
}

static bool is_deadlock(const struct random_program *program, GBytes *outcome)
{
	const guint8 *places = g_bytes_get_data(outcome, NULL);

	for (int rank = 0; rank < program->ranks; rank++)
		if (places[rank] != program->first[rank + 1])
			return true;
	return false;
}

static void count_outcomes(const struct random_program *program, GHashTable *outcomes,
                           struct totals *totals)
{
	GHashTableIter iter;
	gpointer outcome;

	totals->outcomes += g_hash_table_size(outcomes);
	totals->largest = MAX(totals->largest, g_hash_table_size(outcomes));
	g_hash_table_iter_init(&iter, outcomes);
	while (g_hash_table_iter_next(&iter, &outcome, NULL))
		totals->deadlocks += is_deadlock(program, outcome);
}

static bool same_set(GHashTable *left, GHashTable *right)
{
	GHashTableIter iter;
	gpointer outcome;

	g_hash_table_iter_init(&iter, left);
	while (g_hash_table_iter_next(&iter, &outcome, NULL))
		if (!g_hash_table_contains(right, outcome))
			return false;
	return g_hash_table_size(left) == g_hash_table_size(right);
}

/* Every order if there are not too many, else steps before matches; NULL: still too many. */
static GHashTable *enumerate(const struct random_program *program, bool infinite,
                             struct totals *totals)
{
	guint most = (guint)most_states;
	GHashTable *reduced = brute_force(program, infinite, STEPS_FIRST, 4 * most);
	GHashTable *all = reduced ? brute_force(program, infinite, STEPS_ANY_TIME, most) : NULL;

	if (!reduced)
		totals->too_large++;
	if (!all) {
		totals->reduced += reduced != NULL;
		return reduced;
	}
	assert_true(same_set(all, reduced));
	g_hash_table_destroy(reduced);
	return all;
}

static void compare(const struct random_program *program, bool infinite, struct totals *totals)
{
	struct exploration_options options = { infinite, program->seed % 3 != 0, -1, program->seed };
	GHashTable *expected = enumerate(program, infinite, totals);
	struct exploration found;

	if (!expected)
		return;
	explore(program, &options, &found);
	totals->explored++;
	totals->wasted += found.dropped + found.lost;
	count_outcomes(program, expected, totals);
	if (found.repeated > 0 || found.lost > 0
	    || g_hash_table_size(found.outcomes) != g_hash_table_size(expected)) {
		print_message("seed %" G_GUINT64_FORMAT ", %s buffering: %u outcomes of %u, %u twice, "
		              "%u plans lost\n", program->seed, infinite ? "infinite" : "zero",
		              g_hash_table_size(found.outcomes), g_hash_table_size(expected),
		              found.repeated, found.lost);
		random_program_print_c(program, stderr);
	}
	print_difference(program, expected, found.outcomes, "missing");
	print_difference(program, found.outcomes, expected, "invented");
	assert_int_equal(g_hash_table_size(found.outcomes), g_hash_table_size(expected));
	assert_int_equal(found.repeated, 0);
	assert_int_equal(found.lost, 0);
	exploration_release(&found);
	g_hash_table_destroy(expected);
}

static void test_random_programs(void **state)
{
	struct totals totals = { 0 };

	(void)state;
	for (int i = 0; i < programs; i++) {
		struct random_program *program =
			random_program_new((guint64)(first_seed + i), size);

		compare(program, false, &totals);
		compare(program, true, &totals);
		random_program_free(program);
	}
	print_message("%d programs from seed %" G_GINT64_FORMAT ", zero and infinite buffering: "
	              "%u explored (%u against steps before matches), %u too large, %u outcomes (%u "
	              "deadlocks, at most %u a program), %u wasted\n", programs, first_seed,
	              totals.explored, totals.reduced, totals.too_large, totals.outcomes, totals.deadlocks, totals.largest,
	              totals.wasted);
	assert_int_equal(totals.wasted, 0);
}

int main(int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ "programs", 0, 0, G_OPTION_ARG_INT, &programs, "how many (default 1500)", "N" },
		{ "seed", 0, 0, G_OPTION_ARG_INT64, &first_seed, "of the first program", "S" },
		{ "size", 0, 0, G_OPTION_ARG_INT, &size, "messages meant, instead of 4 to 6", "M" },
		{ "states", 0, 0, G_OPTION_ARG_INT, &most_states, "leave out larger programs", "N" },
		{ NULL },
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
	};
	g_autoptr(GOptionContext) context = g_option_context_new("- the search against brute force");
	g_autoptr(GError) error = NULL;

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error)) {
		g_printerr("%s\n", error->message);
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
