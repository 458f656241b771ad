#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/types.h"

enum {
	INT = TYPE_CODE(TYPE_INT, 4),
	UNSIGNED = TYPE_CODE(TYPE_UNSIGNED, 4),
	FLOAT = TYPE_CODE(TYPE_FLOAT, 4),
	DOUBLE = TYPE_CODE(TYPE_DOUBLE, 8),
	BYTE = TYPE_CODE(TYPE_BYTE, 1),
	LONG = TYPE_CODE(TYPE_LONG, 8),
	INT64 = TYPE_CODE(TYPE_INT64_T, 8)
};

static struct types basic(guint16 type, guint64 count)
{
	const struct wire_op op = {.bytes = count * type_code_size(type), .types.basic = type};

	return types_of(&op);
}

/* `times` repetitions of: `first` of one type, `second` of another. */
static struct types pair(guint16 one, guint64 ones, guint16 other, guint64 others, guint64 times)
{
	struct wire_run runs[] = {{one, ones}, {other, others}};
	const struct wire_op op = {
		.bytes = times * (ones * type_code_size(one) + others * type_code_size(other)),
		.types = {.run_count = 2, .runs = runs},
	};

	return types_of(&op);
}

static bool match(struct types sent, struct types received)
{
	return types_match(&sent, &received);
}

static void test_basic_types(void **state)
{
	(void)state;
	assert_true(match(basic(INT, 4), basic(INT, 4)));
	assert_true(match(basic(INT, 4), basic(INT, 9)));
	assert_false(match(basic(INT, 4), basic(FLOAT, 4)));
	assert_false(match(basic(INT, 4), basic(UNSIGNED, 4)));
	assert_false(match(basic(LONG, 1), basic(INT, 2)));
	assert_true(match(basic(LONG, 1), basic(INT64, 2)));
	assert_true(match(basic(DOUBLE, 2), basic(BYTE, 16)));
	assert_true(match(basic(INT, 0), basic(FLOAT, 4)));
	assert_true(match(basic(0, 4), basic(FLOAT, 4)));
}

static void test_a_send_is_the_beginning_of_a_receive(void **state)
{
	(void)state;
	assert_true(match(pair(INT, 1, DOUBLE, 1, 3), pair(INT, 1, DOUBLE, 1, 5)));
	assert_true(match(basic(INT, 2), pair(INT, 2, DOUBLE, 1, 1)));
	assert_false(match(basic(INT, 3), pair(INT, 2, DOUBLE, 1, 1)));
	assert_false(match(pair(INT, 1, DOUBLE, 1, 1), basic(INT, 9)));
	assert_false(match(pair(INT, 1, DOUBLE, 1, 2), pair(INT, 1, DOUBLE, 2, 2)));
	assert_true(match(pair(INT, 1, DOUBLE, 1, 1), pair(INT, 1, DOUBLE, 2, 1)));
	/* what does not fit is truncated, which MPI reports */
	assert_true(match(basic(INT, 9), basic(INT, 4)));
}

static void test_bytes_stand_for_anything(void **state)
{
	(void)state;
	assert_true(match(pair(INT, 1, DOUBLE, 1, 2), basic(BYTE, 24)));
	assert_true(match(pair(BYTE, 4, DOUBLE, 1, 2), pair(INT, 1, DOUBLE, 1, 2)));
	assert_false(match(pair(BYTE, 4, DOUBLE, 1, 2), pair(INT, 1, FLOAT, 2, 2)));
}

static void test_long_lists_end(void **state)
{
	(void)state;
	assert_true(match(pair(INT, 1, DOUBLE, 1, 1ull << 40), pair(INT64, 1, DOUBLE, 1, 0)));
	assert_true(match(pair(BYTE, 1, INT, 1, 1ull << 40), basic(BYTE, 5ull << 40)));
}

static void test_impossible_types_are_not_compared(void **state)
{
	struct types nothing = pair(INT, 0, DOUBLE, 1, 1), huge = pair(INT, ~0ull, DOUBLE, 1, 1);
	struct types no_size = pair(TYPE_CODE(TYPE_INT, 0), 1, DOUBLE, 1, 1);

	(void)state;
	assert_null(nothing.runs);
	assert_null(huge.runs);
	assert_null(no_size.runs);
	assert_true(match(nothing, basic(INT, 1)));
	assert_true(match(basic(INT, 1), huge));
}

static void check_print(struct types types, const char *expected)
{
	g_autofree char *text = types_print(&types);

	assert_string_equal(text, expected);
}

static void test_print(void **state)
{
	(void)state;
	check_print(basic(INT, 4), "4 MPI_INT");
	check_print(basic(0, 4), "0 bytes");
	check_print(pair(INT, 2, DOUBLE, 1, 10), "10 {2 MPI_INT, 1 MPI_DOUBLE}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basic_types),
		cmocka_unit_test(test_a_send_is_the_beginning_of_a_receive),
		cmocka_unit_test(test_bytes_stand_for_anything),
		cmocka_unit_test(test_long_lists_end),
		cmocka_unit_test(test_impossible_types_are_not_compared),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
