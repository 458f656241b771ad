#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/session/save_cost.h"

static double reserve_after(double before, double last, double most)
{
	struct save_cost cost = {0};

	save_cost_add(&cost, before);
	save_cost_add(&cost, last);
	return save_cost_reserve(&cost, most);
}

static void test_nothing_is_left_before_the_first_save(void **state)
{
	const struct save_cost none = {0};

	(void)state;
	assert_true(save_cost_reserve(&none, 30) <= 0);
}

static void test_time_is_left_for_a_save_that_has_grown(void **state)
{
	struct save_cost once = {0};

	(void)state;
	save_cost_add(&once, 0.4);
	assert_float_equal(save_cost_reserve(&once, 30), 0.6, 1e-9);
	assert_float_equal(reserve_after(0.4, 0.5, 30), 0.6, 1e-9);
}

/* Under load one save of an exploration of 30 s took 2 s; it ended after 27. */
static void test_one_slow_save_does_not_end_it_early(void **state)
{
	(void)state;
	assert_float_equal(reserve_after(0.02, 2, 30), 0.03, 1e-9);
	assert_float_equal(reserve_after(2, 0.02, 30), 0.03, 1e-9);
}

static void test_it_never_ends_earlier_than_the_bound_allows(void **state)
{
	(void)state;
	assert_float_equal(reserve_after(5, 5, 30), 1.5, 1e-9);
	assert_float_equal(reserve_after(50, 50, 1000), 15, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_left_before_the_first_save),
		cmocka_unit_test(test_time_is_left_for_a_save_that_has_grown),
		cmocka_unit_test(test_one_slow_save_does_not_end_it_early),
		cmocka_unit_test(test_it_never_ends_earlier_than_the_bound_allows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
