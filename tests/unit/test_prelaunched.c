/* Groups of processes that wait to be spawned, as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/prelaunched.h"

static const char text[] = "2;3,0.1,bin/my%20child;1,2.4,/d";

static void test_reads_groups(void **state)
{
	struct prelaunched group = {0};
	const char *rest;

	(void)state;
	group.count = prelaunched_begin(text, &rest);
	assert_int_equal(group.count, 2);
	assert_true(prelaunched_next(&rest, &group));
	assert_int_equal(group.first, 2);
	assert_int_equal(group.count, 3);
	assert_int_equal(group.root, 0);
	assert_int_equal(group.number, 1);
	assert_true(prelaunched_next(&rest, &group));
	assert_int_equal(group.first, 5);
	assert_int_equal(group.root, 2);
	assert_int_equal(group.number, 4);
	assert_false(prelaunched_next(&rest, &group));
}

static void test_finds_the_group_of_a_rank(void **state)
{
	struct prelaunched group;

	(void)state;
	assert_false(prelaunched_of(text, 1, &group));
	assert_true(prelaunched_of(text, 4, &group));
	assert_int_equal(group.first, 2);
	assert_true(prelaunched_of(text, 5, &group));
	assert_int_equal(group.first, 5);
	assert_false(prelaunched_of(text, 6, &group));
	assert_false(prelaunched_of("2;x", 2, &group));
	assert_false(prelaunched_of("2;1,0,./a", 2, &group));
}

static void test_knows_worlds(void **state)
{
	struct prelaunched group;
	const char *rest;

	(void)state;
	assert_int_equal(prelaunched_world("2", 1), 0);
	assert_int_equal(prelaunched_world("2", 2), -1);
	assert_int_equal(prelaunched_world("2+3;1,0.1,./a", 1), 0);
	assert_int_equal(prelaunched_world("2+3;1,0.1,./a", 2), 1);
	assert_int_equal(prelaunched_world("2+3;1,0.1,./a", 5), -1);
	assert_int_equal(prelaunched_begin("2+3;1,0.1,./a", &rest), 5);
	assert_true(prelaunched_of("2+3;1,0.1,./a", 5, &group));
}

static void test_compares_commands(void **state)
{
	struct prelaunched group;

	(void)state;
	assert_true(prelaunched_of(text, 2, &group));
	assert_true(prelaunched_is(&group, "bin/my child"));
	assert_false(prelaunched_is(&group, "bin/my%20child"));
	assert_false(prelaunched_is(&group, "bin/my"));
	assert_false(prelaunched_is(&group, "bin/my children"));
	assert_true(prelaunched_is_named(&group, "/elsewhere/my child"));
	assert_true(prelaunched_is_named(&group, "my child"));
	assert_false(prelaunched_is_named(&group, "/bin/sh"));
	assert_true(prelaunched_of(text, 5, &group));
	assert_true(prelaunched_is(&group, "/d"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_groups),
		cmocka_unit_test(test_finds_the_group_of_a_rank),
		cmocka_unit_test(test_knows_worlds),
		cmocka_unit_test(test_compares_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
