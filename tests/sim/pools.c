/* Tests of searches in orders other than depth-first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "brute_force.h"
#include "exploration.h"
#include "pools.h"
/* Any waiting plan is visited next, in several orders, and not always the first alternative first.
 * The outcomes must be the same, each once. */
void test_pool(void **state)
{
	guint turned = 0, parts = 0;
	int programs = *(int *)*state;

	for (guint64 seed = 1; seed <= (guint64)(programs / 4); seed++) {
		struct random_program *program;
		struct exploration_options options = {
			.buffering = (enum program_buffering)(1 + seed % 3),
			.snapshots = seed % 2 == 0,
			.deviations = seed % 7 == 0 ? 2 : -1,
			.some = seed % 4 == 0 ? 1 : 0,
			.seed = seed};
		struct exploration whole, pooled;

		program = explore_drawn(seed, 6, &options, &whole);
		options.pooled = true;
		options.apart = seed % 3 == 0;
		explore(program, &options, &pooled);
		if (!outcomes_equal(whole.outcomes, pooled.outcomes) || pooled.runs != whole.runs
		    || pooled.pruned != whole.pruned)
			print_message("seed %" G_GUINT64_FORMAT "\n", seed);
		assert_true(outcomes_equal(whole.outcomes, pooled.outcomes));
		assert_int_equal(pooled.runs, whole.runs);
		assert_int_equal(pooled.repeated, whole.repeated);
		assert_int_equal(pooled.lost + pooled.dropped, whole.lost + whole.dropped);
		assert_int_equal(pooled.pruned, whole.pruned);
		turned += pooled.turned;
		parts = MAX(parts, pooled.parts);
		exploration_release(&whole);
		exploration_release(&pooled);
		random_program_free(program);
	}
	print_message("%u first alternatives put aside, up to %u parts\n", turned, parts);
	assert_true(turned > (guint)programs && parts > 5);
}
