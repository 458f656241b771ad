/* room: snapshot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/snapshot/process_group.h"

static void test_a_rank_equals_its_image_until_it_moves(void **state)
{
	struct process_group *group = process_group_new(2);

	(void)state;
	assert_int_equal(process_group_stays(group, 1), 0);
	process_group_imaged(group, 1, 3, true, 4096);
	assert_int_equal(process_group_stays(group, 1), 3);
	assert_int_equal(process_group_stays(group, 0), 0);
	assert_int_equal(group->ranks[1].bytes, 4096);
	process_group_moves(group, 1);
	assert_int_equal(process_group_stays(group, 1), 0);
	process_group_rewound(group, 1, 3);
	assert_int_equal(process_group_stays(group, 1), 3);
	process_group_rewound(group, 1, 0);
	assert_int_equal(process_group_stays(group, 1), 0);
	process_group_unref(group);
}

static void test_it_is_idle_when_all_ranks_are(void **state)
{
	struct process_group *group = process_group_new(2);

	(void)state;
	process_group_be_idle(group, 0);
	assert_true(process_group_is_idle(group, 0));
	assert_int_equal(process_group_stays(group, 0), 0);
	assert_false(process_group_is_idle_whole(group));
	process_group_imaged(group, 1, 1, true, 0);
	assert_true(process_group_is_idle_whole(group));
	process_group_moves(group, 0);
	assert_false(process_group_is_idle(group, 0));
	assert_false(process_group_is_idle_whole(group));
	process_group_unref(group);
	process_group_be_idle(NULL, 0);
	assert_false(process_group_is_idle_whole(NULL));
}

static void test_a_rank_with_something_under_way_gets_orders(void **state)
{
	struct process_group *group = process_group_new(1);

	(void)state;
	process_group_imaged(group, 0, 1, false, 0);
	assert_int_equal(process_group_stays(group, 0), 0);
	process_group_rewound(group, 0, 1);
	assert_int_equal(process_group_stays(group, 0), 0);
	process_group_unref(group);
}

/* The rank was asked for image 2 once, and two more states share it. */
static void test_the_last_reference_makes_the_rank_forget(void **state)
{
	struct process_group *group = process_group_new(1);

	(void)state;
	process_group_imaged(group, 0, 2, true, 0);
	process_group_share(group, 0, 2);
	process_group_share(group, 0, 2);
	assert_false(process_group_forget(group, 0, 2));
	assert_false(process_group_forget(group, 0, 2));
	assert_int_equal(process_group_stays(group, 0), 2);
	assert_true(process_group_forget(group, 0, 2));
	assert_int_equal(process_group_stays(group, 0), 0);
	process_group_unref(group);
}

static void test_a_welcome_that_is_owed_is_given_once(void **state)
{
	struct process_group *group = process_group_new(1);

	(void)state;
	process_group_imaged(group, 0, 1, true, 0);
	assert_false(process_group_settle(group, 0));
	group->ranks[0].owed = true;
	assert_true(group->ranks[0].owed);
	assert_true(process_group_settle(group, 0));
	assert_false(process_group_settle(group, 0));
	group->ranks[0].owed = true;
	process_group_rewound(group, 0, 1);
	assert_false(group->ranks[0].owed);
	process_group_unref(group);
}

static void test_it_is_lost_for_all_users(void **state)
{
	struct process_group *group = process_group_new(1), *other = process_group_ref(group);

	(void)state;
	process_group_lose(group);
	process_group_unref(group);
	assert_int_equal(other->losses, 1);
	process_group_unref(other);
	process_group_lose(NULL);
	process_group_unref(NULL);
	assert_null(process_group_ref(NULL));
	assert_int_equal(process_group_stays(NULL, 0), 0);
	assert_false(process_group_settle(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_rank_equals_its_image_until_it_moves),
		cmocka_unit_test(test_it_is_idle_when_all_ranks_are),
		cmocka_unit_test(test_a_rank_with_something_under_way_gets_orders),
		cmocka_unit_test(test_the_last_reference_makes_the_rank_forget),
		cmocka_unit_test(test_a_welcome_that_is_owed_is_given_once),
		cmocka_unit_test(test_it_is_lost_for_all_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
