/* Tests of a tree divided into shards: each outcome is in one part, always the same one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "brute_force.h"
#include "exploration.h"
#include "shards.h"

/* Explores a program in that many shards, each with its own order of ranks' moves. The shard of an
 * outcome must not depend on that order. The shards together must have all outcomes. */
static void explore_shards(const struct random_program *program, struct exploration_options options,
                           guint shards, struct exploration *ret)
{
	g_autofree char *division = NULL;

	*ret = (struct exploration){.outcomes = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                                              (GDestroyNotify)g_bytes_unref,
	                                                              NULL)};
	options.shards = shards;
	for (options.shard = 1; options.shard <= shards; options.shard++) {
		struct exploration one;
		GHashTableIter iter;
		gpointer outcome;

		options.seed++;
		explore(program, &options, &one);
		g_hash_table_iter_init(&iter, one.outcomes);
		while (g_hash_table_iter_next(&iter, &outcome, NULL))
			if (!g_hash_table_add(ret->outcomes, g_bytes_ref(outcome)))
				ret->repeated++;
		ret->repeated += one.repeated;
		ret->runs += one.runs;
		ret->pruned += one.pruned;
		ret->stem = MAX(ret->stem, one.stem);
		ret->parts += one.runs > 0;
		assert_int_equal(one.stem, ret->stem);
		if (!division)
			division = g_strdup(one.division);
		assert_string_equal(one.division, division);
		exploration_release(&one);
	}
}

/* Each outcome is in exactly one shard. */
void test_shards(void **state)
{
	guint explorations = 0, busy = 0, stem = 0, runs = 0;

	for (guint64 seed = 1; seed <= (guint64)(*(int *)*state / 8); seed++) {
		struct random_program *program;
		struct exploration_options options = {
			.buffering = (enum program_buffering)(1 + seed % 3),
			.snapshots = seed % 2 == 0,
			.deviations = seed % 7 == 0 ? 2 : -1,
			.apart = seed % 5 == 0,
			.seed = seed};
		struct exploration whole;

		program = explore_drawn(seed, 6, &options, &whole);
		for (guint shards = 1; shards <= 7; shards++) {
			struct exploration all;

			explore_shards(program, options, shards, &all);
			if (!outcomes_equal(whole.outcomes, all.outcomes) || all.runs != whole.runs)
				print_message("seed %" G_GUINT64_FORMAT ", %u shards\n", seed,
				              shards);
			assert_true(outcomes_equal(whole.outcomes, all.outcomes));
			assert_int_equal(all.runs, whole.runs);
			assert_int_equal(all.repeated, whole.repeated);
			assert_int_equal(all.pruned, whole.pruned);
			assert_true(shards > 1 || all.stem == 0);
			explorations++;
			busy += all.parts;
			stem += all.stem;
			runs += all.runs;
			exploration_release(&all);
		}
		exploration_release(&whole);
		random_program_free(program);
	}
	print_message("%u explorations of %u outcomes in %u shards, %u plans in stems\n",
	              explorations, runs, busy, stem);
	assert_true(busy > explorations);
}

/* How evenly a large tree is divided, and the cost of the division. */
void test_balance(void **state)
{
	(void)state;
	for (guint shards = 2; shards <= 16; shards *= 2) {
		struct random_program *program = random_program_senders(7); /* 720 outcomes */
		guint most = 0, all = 0, stem = 0;

		for (guint shard = 1; shard <= shards; shard++) {
			struct exploration_options options = {.buffering = PROGRAM_INFINITE,
			                                      .snapshots = true,
			                                      .deviations = -1,
			                                      .seed = shard,
			                                      .shard = shard,
			                                      .shards = shards};
			struct exploration one;
			guint own;

			explore(program, &options, &one);
			own = one.runs - (shard == 1 ? one.stem : 0);
			most = MAX(most, own);
			all += one.runs;
			stem = one.stem;
			exploration_release(&one);
		}
		print_message("%u shards: %u plans in the stem, at most %u of %u in one\n", shards,
		              stem, most, all);
		assert_int_equal(all, 720);
		assert_true(stem < 720 / shards + 1);
		assert_true(most < 720 / shards * 3 / 2);
		random_program_free(program);
	}
}
