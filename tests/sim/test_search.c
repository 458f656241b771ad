/* Compares the search with brute force: the same outcomes, each exactly once, no run wasted.
 *
 * sim_search [--programs N] [--seed S] [--size M] [--states N] [--only TEST] [--without TEST]
 *
 * On a difference the seed of the program is printed; --programs 1 --seed S repeats it. --print-c
 * prints the program of the seed as C source instead. --print-outcomes prints its outcomes by brute
 * force: the number of ranks, then a line for each outcome, "zero" or "infinite" and
 * outcome_describe's text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "below.h"
#include "brute_force.h"
#include "compare.h"
#include "costs.h"
#include "cuts.h"
#include "exploration.h"
#include "explorer/choice.h"
#include "polls.h"
#include "pools.h"
#include "printed.h"
#include "shards.h"
#include "states.h"
#include "toward.h"
#include "walks.h"

static int programs = 500;
static gint64 first_seed = 1;
static int size = 0;
static int most_states = 5000;
static char *only, *without;
static gboolean print_c = false;        /* for GOption */
static gboolean print_windows = false;  /* for GOption */
static gboolean print_outcomes = false; /* for GOption */

static struct random_program *draw_program(guint64 seed)
{
	return random_program_new(seed, size);
}

static void test_random_programs(void **state)
{
	(void)state;
	compare_programs(draw_program, first_seed, programs, most_states);
}

static void test_threads(void **state)
{
	(void)state;
	compare_threads(first_seed, programs, most_states);
}

static void test_polls(void **state)
{
	(void)state;
	compare_polls(random_program_polls, first_seed, programs, 4 * most_states);
	compare_polls(random_program_rounds, first_seed, programs, 4 * most_states);
}

static void test_windows(void **state)
{
	(void)state;
	compare_programs(random_program_windows, first_seed, programs, most_states);
	compare_programs(random_program_atomics, first_seed, programs, most_states);
}

static struct instruction *add_branch(struct random_program *program, int rank, int source, int tag,
                                      int skip)
{
	int of = program->count - 1;
	struct instruction *branch = random_program_add(program, rank, INSTRUCTION_BRANCH);

	branch->of = of;
	branch->source = source;
	branch->tag = tag;
	branch->skip = skip;
	return branch;
}

/* Rank 0 sends a task (tag 0) to each of two workers, then one to each worker that returns a
 * result, while there are any. When none is left it sends the end (tag 1). */
static struct random_program *master_and_workers(int tasks)
{
	struct random_program *program = random_program_empty(3);

	random_program_add(program, 0, INSTRUCTION_SEND)->peer = 1;
	random_program_add(program, 0, INSTRUCTION_SEND)->peer = 2;
	for (int done = 0; done < tasks; done++) {
		int receive = program->count;

		random_program_add(program, 0, INSTRUCTION_RECEIVE)->peer = -1;
		for (int worker = 1; worker <= 2; worker++) {
			struct instruction *answer;

			add_branch(program, 0, worker, -1, 1)->of = receive;
			answer = random_program_add(program, 0, INSTRUCTION_SEND);
			answer->peer = worker;
			answer->tag = done + 2 < tasks ? 0 : 1;
		}
	}
	for (int worker = 1; worker <= 2; worker++) {
		for (int done = 0; done < tasks; done++) {
			struct instruction *task = random_program_add(program, worker,
			                                              INSTRUCTION_RECEIVE);

			task->peer = 0;
			task->tag = -1;
			add_branch(program, worker, 0, 0, 3 * (tasks - done) - 2);
			random_program_add(program, worker, INSTRUCTION_SEND)->peer = 0;
		}
	}
	return program;
}

static void assert_exactly(struct random_program *program, guint outcomes)
{
	for (guint64 seed = 0; seed < 4; seed++) {
		struct exploration_options options = {.buffering = seed % 2 == 0 ? PROGRAM_INFINITE
		                                                                 : PROGRAM_ZERO,
		                                      .snapshots = seed / 2 == 0,
		                                      .deviations = -1,
		                                      .seed = seed};
		struct exploration found;

		explore(program, &options, &found);
		assert_int_equal(g_hash_table_size(found.outcomes), outcomes);
		assert_int_equal(found.runs, outcomes);
		assert_false(outcomes_deadlocks(program, found.outcomes));
		exploration_release(&found);
	}
	random_program_free(program);
}

static void test_figures(void **state)
{
	(void)state;
	assert_exactly(random_program_senders(3), 2);
	assert_exactly(random_program_senders(4), 6);
	assert_exactly(random_program_senders(5), 24);
	assert_exactly(random_program_senders(6), 120);
	assert_exactly(master_and_workers(4), 8);
	assert_exactly(master_and_workers(6), 32);
	assert_exactly(master_and_workers(8), 128);
}

/* With a bound: only real outcomes, each once, no run wasted; a higher bound gives at least as
 * many. */
static void test_deviations(void **state)
{
	(void)state;
	for (guint64 seed = 1; seed <= 100; seed++) {
		struct random_program *program = random_program_new(seed, 8);
		struct exploration_options options = {.buffering = seed % 2 == 0 ? PROGRAM_INFINITE
		                                                                 : PROGRAM_ZERO,
		                                      .snapshots = true,
		                                      .deviations = -1,
		                                      .seed = seed};
		struct exploration all;
		guint before = 0;

		explore(program, &options, &all);
		for (options.deviations = 0; before < g_hash_table_size(all.outcomes);
		     options.deviations++) {
			struct exploration some;

			explore(program, &options, &some);
			assert_int_equal(some.runs, g_hash_table_size(some.outcomes));
			assert_true(some.runs > before);
			assert_true(options.deviations > 0 || some.runs == 1);
			assert_true((some.pruned > 0) == (some.runs < all.runs));
			before = some.runs;
			exploration_release(&some);
		}
		assert_int_equal(before, g_hash_table_size(all.outcomes));
		exploration_release(&all);
		random_program_free(program);
	}
}

enum { BOUNDS = 3 };

/* Bounds on the choices of one rank, on those at some instructions, on all. */
static uint64_t *random_bounds(const struct random_program *program, GRand *random)
{
	uint64_t *bounds_of = g_new0(uint64_t, program->count);
	int rank = g_rand_int_range(random, 0, program->ranks);

	for (int i = 0; i < program->count; i++) {
		bounds_of[i] = 4u | (program->instructions[i].rank == rank ? 1u : 0u)
		               | (g_rand_boolean(random) ? 2u : 0u);
	}
	return bounds_of;
}

/* The outcomes within the bounds. */
static GHashTable *within(const struct random_program *program,
                          const struct exploration_options *options, GHashTable *all)
{
	GHashTable *some = g_hash_table_new(g_bytes_hash, g_bytes_equal);
	GHashTableIter iter;
	gpointer outcome, choices;

	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, &outcome, &choices)) {
		guint costs[BOUNDS];
		bool fits = true;

		outcome_costs(program, options->buffering, options->bounds_of, choices, BOUNDS,
		              costs);
		for (guint i = 0; i < BOUNDS; i++)
			fits = fits && costs[i] <= options->bounds[i].most;
		if (fits)
			g_hash_table_add(some, outcome);
	}
	return some;
}

/* Exactly the outcomes within the bounds, each once, no run wasted; and the search reports whether
 * there are more. */
static guint compare_bounded(const struct random_program *program,
                             const struct exploration_options *options,
                             const struct exploration *all)
{
	GHashTable *expected = within(program, options, all->outcomes);
	struct exploration found;
	guint fitting = g_hash_table_size(expected);

	explore(program, options, &found);
	if (!outcomes_equal(expected, found.outcomes))
		print_message("seed %" G_GUINT64_FORMAT ", bounds %u %u %u\n", program->seed,
		              options->bounds[0].most, options->bounds[1].most,
		              options->bounds[2].most);
	print_difference(program, expected, found.outcomes, "missing");
	print_difference(program, found.outcomes, expected, "beyond the bounds");
	assert_true(outcomes_equal(expected, found.outcomes));
	assert_int_equal(found.runs, fitting);
	assert_int_equal(found.repeated + found.dropped + found.lost, 0);
	assert_true((found.pruned + found.vouched > 0) == (fitting < all->runs));
	assert_true(found.vouched == 0 || options->bounds[1].vouched);
	exploration_release(&found);
	g_hash_table_destroy(expected);
	return fitting;
}

/* Zero and infinite buffering only: with a choice for each send an outcome has several costs. */
static void test_bounds(void **state)
{
	guint outcomes = 0, left = 0;

	(void)state;
	for (guint64 seed = 1; seed <= (guint64)(programs / 4); seed++) {
		GRand *random = g_rand_new_with_seed((guint32)seed);
		struct random_program *program = random_program_new(seed, seed % 2 ? 0 : 7);
		g_autofree uint64_t *bounds_of = random_bounds(program, random);
		struct explorer_bound bounds[BOUNDS] = {{0, false}, {0, seed % 3 == 0}, {0, false}};
		struct exploration_options options = {
			.buffering = seed % 4 < 2 ? PROGRAM_ZERO : PROGRAM_INFINITE,
			.snapshots = seed % 5 > 0,
			.deviations = -1,
			.seed = seed,
			.bounds_of = bounds_of,
		};
		struct exploration all;

		explore(program, &options, &all);
		options.bounds = bounds;
		options.bound_count = BOUNDS;
		for (int round = 0; round < 6 && all.runs <= 400; round++) {
			for (guint i = 0; i < BOUNDS; i++)
				bounds[i].most = (uint32_t)g_rand_int_range(random, 0, 4);
			options.apart = round > 3;
			outcomes += compare_bounded(program, &options, &all);
			left += all.runs;
		}
		exploration_release(&all);
		random_program_free(program);
		g_rand_free(random);
	}
	print_message("%u outcomes of %u within the bounds\n", outcomes, left);
	assert_true(outcomes > left / 10 && outcomes < left);
}

/* Saved and loaded, or split into parts that continue in any order: the same outcomes, each
 * once. */
static void test_apart(void **state)
{
	guint parts = 0, cut = 0, split = 0;

	(void)state;
	for (guint64 seed = 1; seed <= (guint64)(programs / 8); seed++) {
		struct random_program *program;
		struct exploration_options options = {
			.buffering = (enum program_buffering)(1 + seed % 3),
			.snapshots = seed % 2 == 0,
			.deviations = seed % 7 == 0 ? 2 : -1,
			.seed = seed};
		struct exploration whole, apart;

		program = explore_drawn(seed, 6, &options, &whole);
		options.apart = true;
		explore(program, &options, &apart);
		if (!outcomes_equal(whole.outcomes, apart.outcomes)
		    || apart.repeated > whole.repeated || apart.runs != whole.runs
		    || apart.pruned != whole.pruned)
			print_message("seed %" G_GUINT64_FORMAT "\n", seed);
		assert_true(outcomes_equal(whole.outcomes, apart.outcomes));
		assert_int_equal(apart.runs, whole.runs);
		assert_int_equal(apart.repeated, whole.repeated);
		assert_int_equal(apart.pruned, whole.pruned);
		parts += apart.parts;
		cut += apart.cut;
		split += apart.split;
		exploration_release(&whole);
		exploration_release(&apart);
		random_program_free(program);
	}
	print_message("%u parts, %u of them while a world ran, %u worlds stopped\n", parts + split,
	              split, cut);
	assert_true(split > (guint)programs / 8);
	assert_true(parts > (guint)programs / 8 && cut > (guint)programs / 8);
}

static bool same_walks(const struct walks *left, const struct walks *right)
{
	if (left->outcomes->len != right->outcomes->len)
		return false;
	for (guint i = 0; i < left->outcomes->len; i++)
		if (!g_bytes_equal(left->outcomes->pdata[i], right->outcomes->pdata[i])
		    || g_array_index(left->known, bool, i) != g_array_index(right->known, bool, i))
			return false;
	return true;
}

/* Returns the number of different outcomes of the walks. Each is reported as new once and as known
 * from then on. With a choice for each send several interleavings may have the same outcome. */
static guint check_walks(const struct walks *walks, const struct exploration *all, bool once)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_bytes_hash, g_bytes_equal);

	for (guint i = 0; i < walks->outcomes->len; i++) {
		bool first = g_hash_table_add(seen, walks->outcomes->pdata[i]);
		bool known = g_array_index(walks->known, bool, i);

		assert_true(g_hash_table_contains(all->outcomes, walks->outcomes->pdata[i]));
		assert_true(!first || !known);
		assert_true(first || known || !once);
	}
	return g_hash_table_size(seen);
}

/* The same seed takes the same walks, however ranks move; another seed takes others. All outcomes
 * are real, and of small trees nearly none is missed. */
static void test_random_walks(void **state)
{
	guint outcomes = 0, found = 0, otherwise = 0;

	(void)state;
	for (guint64 seed = 1; seed <= (guint64)(programs / 8); seed++) {
		struct random_program *program = random_program_new(seed, 5);
		enum program_buffering buffering = (enum program_buffering)(1 + seed % 3);
		struct exploration_options options = {
			.buffering = buffering, .snapshots = true, .deviations = -1, .seed = seed};
		struct exploration all;
		struct walks walks, again, others;

		explore(program, &options, &all);
		if (all.runs > 40) {
			exploration_release(&all);
			random_program_free(program);
			continue;
		}
		walk_randomly(program, buffering, seed, 1, &walks);
		walk_randomly(program, buffering, seed, 2, &again);
		walk_randomly(program, buffering, seed ^ 1ull << 40, 1, &others);
		assert_true(same_walks(&walks, &again));
		otherwise += !same_walks(&walks, &others);
		assert_true(all.runs > 1 || walks.outcomes->len <= 101);
		outcomes += g_hash_table_size(all.outcomes);
		found += check_walks(&walks, &all, buffering != PROGRAM_PER_SEND);
		walks_release(&walks);
		walks_release(&again);
		walks_release(&others);
		exploration_release(&all);
		random_program_free(program);
	}
	print_message("%u of %u outcomes\n", found, outcomes);
	assert_true(found > outcomes * 9 / 10);
	assert_true(otherwise > 0 || outcomes < 50);
}

static int print_program(void)
{
	struct random_program *program = print_windows
	                                         ? random_program_windows((guint64)first_seed)
	                                         : random_program_new((guint64)first_seed, size);

	if (print_c)
		random_program_print_c(program, stdout);
	else
		print_all_outcomes(program);
	random_program_free(program);
	return 0;
}

int main(int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{"programs", 0, 0, G_OPTION_ARG_INT, &programs, "how many (default 500)", "N"},
		{"seed", 0, 0, G_OPTION_ARG_INT64, &first_seed, "of the first program", "S"},
		{"size", 0, 0, G_OPTION_ARG_INT, &size, "messages meant, instead of 4 to 6", "M"},
		{"states", 0, 0, G_OPTION_ARG_INT, &most_states,
	         "beyond so many, ranks step before pairs match; beyond four times as many, leave "
	         "out",
	         "N"},
		{"only", 0, 0, G_OPTION_ARG_STRING, &only, "these tests, by name, with wildcards",
	         "TEST"},
		{"without", 0, 0, G_OPTION_ARG_STRING, &without, "not these tests", "TEST"},
		{"print-c", 0, 0, G_OPTION_ARG_NONE, &print_c, "print the program as C", NULL},
		{"windows", 0, 0, G_OPTION_ARG_NONE, &print_windows, "print a program with windows",
	         NULL},
		{"print-outcomes", 0, 0, G_OPTION_ARG_NONE, &print_outcomes, "print all outcomes",
	         NULL},
		{NULL},
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_polls),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_deviations),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_apart),
		cmocka_unit_test_prestate(test_below, &programs),
		cmocka_unit_test_prestate(test_toward, &programs),
		cmocka_unit_test_prestate(test_toward_polls, &programs),
		cmocka_unit_test_prestate(test_pool, &programs),
		cmocka_unit_test(test_random_walks),
		cmocka_unit_test_prestate(test_cuts, &programs),
		cmocka_unit_test_prestate(test_shards, &programs),
		cmocka_unit_test(test_balance),
		cmocka_unit_test_prestate(test_states, &programs),
		cmocka_unit_test_prestate(test_states_of_windows, &programs),
		cmocka_unit_test(test_states_figures),
	};
	g_autoptr(GOptionContext)
		context = g_option_context_new("- the search against brute force");
	g_autoptr(GError) error = NULL;

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error)) {
		g_printerr("%s\n", error->message);
		return 2;
	}
	if (print_c || print_outcomes)
		return print_program();
	cmocka_set_test_filter(only);
	cmocka_set_skip_filter(without);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
