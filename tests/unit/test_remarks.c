#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/remarks.h"

static struct remark remark(guint32 call, const char *does)
{
	return (struct remark){
		.kind = FINDING_TYPE_MISMATCH,
		.count = 2,
		.parties = {{.rank = 1, .call = call, .function = 5, .site = 77, .does = does},
	                    {.rank = 0, .call = 3, .function = 6, .site = 78, .does = "b"}},
	};
}

static void test_equal_remarks_are_kept_once(void **state)
{
	struct remarks *remarks = remarks_new();
	struct remark one = remark(4, "a"), again = remark(9, "a"), other = remark(4, "c");

	(void)state;
	remarks_add(remarks, &one);
	remarks_add(remarks, &again);
	remarks_add(remarks, &other);
	other.count = 1;
	remarks_add(remarks, &other);
	other.kind = FINDING_LEAK;
	remarks_add(remarks, &other);
	other.parties[0].rank = 2;
	remarks_add(remarks, &other);
	assert_int_equal(remarks_count(remarks), 5);
	assert_int_equal(remarks_get(remarks, 0)->parties[0].call, 4);
	assert_string_equal(remarks_get(remarks, 1)->parties[0].does, "c");
	remarks_free(remarks);
}

static void test_a_copy_is_independent(void **state)
{
	struct remarks *remarks = remarks_new(), *copy;
	struct remark one = remark(4, "a"), other = remark(4, "c");

	(void)state;
	remarks_add(remarks, &one);
	copy = remarks_copy(remarks);
	remarks_add(copy, &one);
	assert_int_equal(remarks_count(copy), 1);
	remarks_add(copy, &other);
	assert_int_equal(remarks_count(remarks), 1);
	remarks_free(remarks);
	assert_string_equal(remarks_get(copy, 0)->parties[0].does, "a");
	assert_string_equal(remarks_get(copy, 1)->parties[0].does, "c");
	remarks_free(copy);
}

static void test_the_number_is_bounded(void **state)
{
	struct remarks *remarks = remarks_new();

	(void)state;
	for (guint i = 0; i < 5000; i++) {
		struct remark one = remark(4, "a");

		one.parties[0].site = i;
		remarks_add(remarks, &one);
	}
	assert_in_range(remarks_count(remarks), 100, 1000);
	remarks_free(remarks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_remarks_are_kept_once),
		cmocka_unit_test(test_a_copy_is_independent),
		cmocka_unit_test(test_the_number_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
