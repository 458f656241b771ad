/* Part of the preloaded shim, compiled in here alone. */
#include "shim/objects/objects.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int variables[3];

static void test_objects_left_are_counted_by_call(void **state)
{
	struct wire_left *left;
	uint32_t count = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		objects_add(WIRE_OBJECT_COMMUNICATOR, i, NULL, 4, i % 2 == 0 ? 70 : 80);
	objects_add(WIRE_OBJECT_GROUP, 5, NULL, 4, 70);
	for (uint64_t i = 0; i < 999; i += 2)
		objects_remove(WIRE_OBJECT_COMMUNICATOR, i, NULL);
	objects_add(WIRE_OBJECT_COMMUNICATOR, 7000, NULL, 4, 70);
	left = objects_left(NULL, &count, false);
	assert_int_equal(count, 3);
	assert_int_equal(left[0].site, 80);
	assert_int_equal(left[0].count, 500);
	assert_int_equal(left[1].kind, WIRE_OBJECT_GROUP);
	assert_int_equal(left[1].count, 1);
	assert_int_equal(left[2].kind, WIRE_OBJECT_COMMUNICATOR);
	assert_int_equal(left[2].site, 70);
	assert_int_equal(left[2].function, 4);
	free(left);
}

static uint64_t only_site(void)
{
	uint32_t count = 0;
	struct wire_left *left = objects_left(NULL, &count, false);
	uint64_t site = count == 1 ? left[0].site : 0;

	free(left);
	return site;
}

/* One handle, given twice and freed once. */
static void test_free_prefers_the_same_variable_then_the_last(void **state)
{
	(void)state;
	objects_add(WIRE_OBJECT_GROUP, 5, &variables[0], 4, 70);
	objects_add(WIRE_OBJECT_GROUP, 5, &variables[1], 4, 80);
	objects_remove(WIRE_OBJECT_GROUP, 5, &variables[0]);
	assert_int_equal(only_site(), 80);

	objects_add(WIRE_OBJECT_GROUP, 5, &variables[0], 4, 70);
	objects_add(WIRE_OBJECT_GROUP, 5, &variables[1], 4, 80);
	objects_remove(WIRE_OBJECT_GROUP, 5, &variables[2]);
	assert_int_equal(only_site(), 70);
}

static void test_unknown_handles_are_ignored(void **state)
{
	uint32_t count = 0;

	(void)state;
	objects_remove(WIRE_OBJECT_GROUP, 5, NULL);
	objects_add(WIRE_OBJECT_GROUP, 5, NULL, 4, 70);
	objects_remove(WIRE_OBJECT_DATATYPE, 5, NULL);
	objects_remove(WIRE_OBJECT_GROUP, 6, NULL);
	assert_int_equal(only_site(), 70);
	assert_null(objects_left(NULL, &count, false));
	assert_int_equal(count, 0);
}

/* Each object is reported once. */
static void test_kinds_that_may_be_freed_late_are_reported_apart(void **state)
{
	struct wire_left *left;
	uint32_t count = 0;

	(void)state;
	objects_add(WIRE_OBJECT_INFO, 5, NULL, 4, 70);
	objects_add(WIRE_OBJECT_GROUP, 5, NULL, 4, 80);
	objects_add(WIRE_OBJECT_ERRHANDLER, 5, NULL, 4, 90);
	assert_int_equal(only_site(), 80);
	assert_null(objects_left(NULL, &count, false));
	left = objects_left(NULL, &count, true);
	assert_int_equal(count, 2);
	assert_int_equal(left[0].site, 70);
	assert_int_equal(left[1].site, 90);
	free(left);
	count = 0;
	assert_null(objects_left(NULL, &count, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects_left_are_counted_by_call),
		cmocka_unit_test(test_free_prefers_the_same_variable_then_the_last),
		cmocka_unit_test(test_unknown_handles_are_ignored),
		cmocka_unit_test(test_kinds_that_may_be_freed_late_are_reported_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
