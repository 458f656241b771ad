/* room: world. Which partitions of partitioned sends are ready. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/partitions.h"

enum { NUMBER = 70, RANK = 3, CALL = 5 };

static void assert_unready(const struct partitions *partitions, const char *wanted)
{
	int rank = -1;
	g_autofree char *text = partitions_unready(partitions, NUMBER, &rank);

	if (!wanted) {
		assert_null(text);
		return;
	}
	assert_string_equal(text, wanted);
	assert_int_equal(rank, RANK);
}

static void test_ranges(void **state)
{
	struct partitions *partitions = partitions_new(), *copy;

	(void)state;
	assert_unready(partitions, NULL);
	assert_false(partitions_ready(partitions, NUMBER, 0, 0));
	partitions_start(partitions, NUMBER, RANK, CALL, 8);
	assert_unready(partitions, "partitions 0-7");
	assert_true(partitions_ready(partitions, NUMBER, 2, 3));
	assert_true(partitions_ready(partitions, NUMBER, 5, 5));
	assert_unready(partitions, "partitions 0-1, 4, 6-7");
	assert_false(partitions_ready(partitions, NUMBER, 7, 8));
	assert_false(partitions_ready(partitions, NUMBER, 4, 3));
	copy = partitions_copy(partitions);
	assert_true(partitions_ready(partitions, NUMBER, 0, 6));
	assert_unready(partitions, "partition 7");
	assert_true(partitions_ready(partitions, NUMBER, 7, 7));
	assert_unready(partitions, NULL);
	assert_unready(copy, "partitions 0-1, 4, 6-7");
	partitions_start(partitions, NUMBER, RANK, CALL + 1, 1);
	assert_unready(partitions, "partition 0");
	assert_int_equal(partitions_find(partitions, RANK, CALL + 1), NUMBER);
	assert_int_equal(partitions_find(partitions, RANK, CALL), 0);
	partitions_free(partitions);
	partitions_free(copy);
}

static void test_many(void **state)
{
	struct partitions *partitions = partitions_new();

	(void)state;
	partitions_start(partitions, NUMBER, RANK, CALL, 100);
	for (guint32 i = 0; i < 100; i += 2)
		assert_true(partitions_ready(partitions, NUMBER, i, i));
	assert_unready(partitions, "partitions 1, 3, 5, 7, 9, 11, 13, 15, ...");
	partitions_free(partitions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
