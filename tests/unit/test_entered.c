#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/entered.h"

static void test_a_rank_fails_in_its_collectives(void **state)
{
	struct entered *entered = entered_new(2);

	(void)state;
	entered_note(entered, 0, 3);
	entered_note(entered, 1, 3);
	entered_note(entered, 1, 4);
	assert_false(entered_any_failed(entered));
	entered_fail(entered, 1);
	assert_true(entered_any_failed(entered));
	assert_true(entered_has_failed(entered, 1, 3));
	assert_true(entered_has_failed(entered, 1, 4));
	assert_false(entered_has_failed(entered, 0, 3));
	assert_false(entered_has_failed(entered, 1, 5));
	entered_free(entered);
}

static void test_no_failure_after_leaving(void **state)
{
	struct entered *entered = entered_new(1);

	(void)state;
	entered_note(entered, 0, 7);
	entered_clear(entered, 0);
	assert_int_equal(entered_by(entered, 0)->len, 0);
	entered_fail(entered, 0);
	assert_false(entered_any_failed(entered));
	entered_free(entered);
}

static void test_a_copy_is_independent(void **state)
{
	struct entered *entered = entered_new(1), *copy;

	(void)state;
	entered_note(entered, 0, 7);
	copy = entered_copy(entered);
	entered_fail(copy, 0);
	entered_clear(copy, 0);
	assert_true(entered_has_failed(copy, 0, 7));
	assert_false(entered_any_failed(entered));
	assert_int_equal(entered_by(entered, 0)->len, 1);
	entered_free(entered);
	entered_free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_rank_fails_in_its_collectives),
		cmocka_unit_test(test_no_failure_after_leaving),
		cmocka_unit_test(test_a_copy_is_independent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
