/* What follows from the reasons why an execution does not count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/execution/discard.h"

static void test_each_reason_has_words_of_its_own(void **state)
{
	(void)state;
	for (int one = 0; one < DISCARDS; one++) {
		assert_non_null(discard_words(one));
		for (int other = 0; other < one; other++)
			assert_string_not_equal(discard_words(one), discard_words(other));
	}
}

/* A stronger reason replaces a weaker one, so what is begun again must not be counted before. */
static void test_effects_follow_the_order_of_reasons(void **state)
{
	(void)state;
	for (int one = 1; one < DISCARDS; one++)
		assert_true(discard_effect(one) >= discard_effect(one - 1));
	assert_int_equal(discard_effect(DISCARD_NOT), DISCARD_COUNTS);
	assert_int_equal(discard_effect(DISCARD_STRUCK), DISCARD_AGAIN);
}

static void test_a_plan_that_was_not_followed_shows_nothing(void **state)
{
	(void)state;
	assert_true(discard_followed_plan(DISCARD_LET_GO));
	assert_true(discard_followed_plan(DISCARD_RETURNED));
	assert_false(discard_followed_plan(DISCARD_LOST));
	assert_false(discard_followed_plan(DISCARD_CUT_SHORT));
	assert_false(discard_followed_plan(DISCARD_REDO));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_reason_has_words_of_its_own),
		cmocka_unit_test(test_effects_follow_the_order_of_reasons),
		cmocka_unit_test(test_a_plan_that_was_not_followed_shows_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
