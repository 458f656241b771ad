#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/run/body.h"

static void test_a_rank_stays_the_image_that_it_is_until_it_moves(void **state)
{
	struct body *body = body_new(2);

	(void)state;
	assert_int_equal(body_stays(body, 1), 0);
	body_imaged(body, 1, 3, true, 4096);
	assert_int_equal(body_stays(body, 1), 3);
	assert_int_equal(body_stays(body, 0), 0);
	assert_int_equal(body_bytes(body, 1), 4096);
	body_moves(body, 1);
	assert_int_equal(body_stays(body, 1), 0);
	body_rewound(body, 1, 3);
	assert_int_equal(body_stays(body, 1), 3);
	body_rewound(body, 1, 0);
	assert_int_equal(body_stays(body, 1), 0);
	body_let_go(body);
}

static void test_it_is_still_when_all_ranks_are(void **state)
{
	struct body *body = body_new(2);

	(void)state;
	body_be_still(body, 0);
	assert_true(body_is_still(body, 0));
	assert_int_equal(body_stays(body, 0), 0);
	assert_false(body_is_still_whole(body));
	body_imaged(body, 1, 1, true, 0);
	assert_true(body_is_still_whole(body));
	body_moves(body, 0);
	assert_false(body_is_still(body, 0));
	assert_false(body_is_still_whole(body));
	body_let_go(body);
	body_be_still(NULL, 0);
	assert_false(body_is_still_whole(NULL));
}

static void test_one_with_something_under_way_is_to_be_told(void **state)
{
	struct body *body = body_new(1);

	(void)state;
	body_imaged(body, 0, 1, false, 0);
	assert_int_equal(body_stays(body, 0), 0);
	body_rewound(body, 0, 1);
	assert_int_equal(body_stays(body, 0), 0);
	body_let_go(body);
}

/* The rank was asked for image 2 once, and two more states have it. */
static void test_the_last_to_forget_an_image_tells_the_rank(void **state)
{
	struct body *body = body_new(1);

	(void)state;
	body_imaged(body, 0, 2, true, 0);
	body_share(body, 0, 2);
	body_share(body, 0, 2);
	assert_false(body_forget(body, 0, 2));
	assert_false(body_forget(body, 0, 2));
	assert_int_equal(body_stays(body, 0), 2);
	assert_true(body_forget(body, 0, 2));
	assert_int_equal(body_stays(body, 0), 0);
	body_let_go(body);
}

static void test_a_welcome_that_is_owed_is_given_once(void **state)
{
	struct body *body = body_new(1);

	(void)state;
	body_imaged(body, 0, 1, true, 0);
	assert_false(body_settle(body, 0));
	body_owe(body, 0);
	assert_true(body_is_owed(body, 0));
	assert_true(body_settle(body, 0));
	assert_false(body_settle(body, 0));
	body_owe(body, 0);
	body_rewound(body, 0, 1);
	assert_false(body_is_owed(body, 0));
	body_let_go(body);
}

static void test_it_is_lost_for_all_who_use_it(void **state)
{
	struct body *body = body_new(1), *other = body_use(body);

	(void)state;
	body_lose(body);
	body_let_go(body);
	assert_true(body_is_lost(other));
	body_let_go(other);
	body_lose(NULL);
	body_let_go(NULL);
	assert_null(body_use(NULL));
	assert_int_equal(body_stays(NULL, 0), 0);
	assert_false(body_settle(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_rank_stays_the_image_that_it_is_until_it_moves),
		cmocka_unit_test(test_it_is_still_when_all_ranks_are),
		cmocka_unit_test(test_one_with_something_under_way_is_to_be_told),
		cmocka_unit_test(test_the_last_to_forget_an_image_tells_the_rank),
		cmocka_unit_test(test_a_welcome_that_is_owed_is_given_once),
		cmocka_unit_test(test_it_is_lost_for_all_who_use_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
