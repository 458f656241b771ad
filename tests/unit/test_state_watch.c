#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/state_watch.h"

static int nodes_named(struct state_watch *watch, int nodes, bool known)
{
	static uint64_t others = 1;
	int named = 0;

	for (int i = 0; i < nodes; i++) {
		struct state_hash name = {{known ? 0 : others++, 7}};
		bool wanted = state_watch_wants(watch) != STATE_WATCH_NONE;

		named += wanted;
		state_watch_add(watch, wanted ? &name : NULL);
	}
	return named;
}

static int new_nodes(struct state_watch *watch, int nodes)
{
	return nodes_named(watch, nodes, false);
}

/* All nodes have the same fingerprint. The first does not count as known. */
static int known_nodes(struct state_watch *watch, int nodes)
{
	return nodes_named(watch, nodes, true);
}

static void without_repetition_few_nodes_get_a_fingerprint(void **state)
{
	struct state_watch *watch = state_watch_new();

	(void)state;
	assert_int_equal(state_watch_wants(watch), STATE_WATCH_CHOOSERS);
	assert_int_equal(new_nodes(watch, 511), STATE_WATCH_FIRST);
	assert_false(state_watch_is_over(watch));
	assert_int_equal(new_nodes(watch, 100000), 3 * STATE_WATCH_FIRST);
	assert_true(state_watch_is_over(watch));
	assert_false(state_watch_pays(watch));
	assert_int_equal(known_nodes(watch, 1000), 0);
	assert_false(state_watch_pays(watch));
	state_watch_free(watch);
}

static void a_quarter_of_a_sample_is_enough(void **state)
{
	struct state_watch *watch = state_watch_new();

	(void)state;
	known_nodes(watch, 2);
	new_nodes(watch, STATE_WATCH_SAMPLE - 2);
	known_nodes(watch, 512 - STATE_WATCH_SAMPLE); /* without a fingerprint */
	known_nodes(watch, STATE_WATCH_ENOUGH - 1);
	assert_int_equal(state_watch_wants(watch), STATE_WATCH_CHOOSERS);
	known_nodes(watch, 1);
	assert_int_equal(state_watch_wants(watch), STATE_WATCH_WHOLE);
	assert_int_equal(known_nodes(watch, STATE_WATCH_ENOUGH), STATE_WATCH_ENOUGH);
	assert_false(state_watch_pays(watch)); /* one of them occurred for the first time */
	known_nodes(watch, 1);
	assert_true(state_watch_pays(watch));
	assert_true(state_watch_is_over(watch));
	assert_int_equal(state_watch_wants(watch), STATE_WATCH_NONE);
	state_watch_free(watch);
}

static void choosers_alone_are_no_proof(void **state)
{
	struct state_watch *watch = state_watch_new();

	(void)state;
	known_nodes(watch, STATE_WATCH_ENOUGH + 1);
	assert_int_equal(state_watch_wants(watch), STATE_WATCH_WHOLE);
	new_nodes(watch, STATE_WATCH_SAMPLE);
	assert_int_equal(state_watch_wants(watch), STATE_WATCH_NONE);
	assert_false(state_watch_is_over(watch));
	assert_int_equal(new_nodes(watch, 100000), 3 * STATE_WATCH_FIRST);
	assert_true(state_watch_is_over(watch));
	assert_false(state_watch_pays(watch));
	state_watch_free(watch);
}

static void nodes_without_a_fingerprint_equal_none(void **state)
{
	struct state_watch *watch = state_watch_new();

	(void)state;
	for (int i = 0; i < STATE_WATCH_FIRST; i++) {
		assert_int_equal(state_watch_wants(watch), STATE_WATCH_CHOOSERS);
		state_watch_add(watch, NULL);
	}
	assert_int_equal(state_watch_wants(watch), STATE_WATCH_NONE);
	assert_false(state_watch_pays(watch));
	state_watch_free(watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_repetition_few_nodes_get_a_fingerprint),
		cmocka_unit_test(a_quarter_of_a_sample_is_enough),
		cmocka_unit_test(choosers_alone_are_no_proof),
		cmocka_unit_test(nodes_without_a_fingerprint_equal_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
