/* room: debug. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scheduler/debug/value_numbers.h"

static void tell(struct value_numbers *numbers, int rank, const char *answer, const char *expected)
{
	g_autofree char *told = value_numbers_tell(numbers, rank, answer);

	assert_string_equal(told, expected);
}

static void ask(const struct value_numbers *numbers, int rank, const char *expression,
                const char *expected)
{
	g_autofree char *problem = NULL;
	g_autofree char *asked = value_numbers_ask(numbers, rank, expression, &problem);

	assert_null(problem);
	assert_string_equal(asked, expected);
}

static void refuse(const struct value_numbers *numbers, int rank, const char *expression,
                   const char *expected)
{
	g_autofree char *problem = NULL;

	assert_null(value_numbers_ask(numbers, rank, expression, &problem));
	assert_string_equal(problem, expected);
}

static void test_one_row(void **state)
{
	struct value_numbers *numbers = value_numbers_new();

	(void)state;
	tell(numbers, 0, "$1 = 5\n", "$1 = 5\n");
	tell(numbers, 1, "$1 = {x = 2}\n", "$2 = {x = 2}\n");
	tell(numbers, 1, "$2 = \"$1 = 3\"\n", "$3 = \"$1 = 3\"\n");
	tell(numbers, 0, "No symbol \"x\" in current context.\n",
	     "No symbol \"x\" in current context.\n");
	tell(numbers, 0, "$2 = 7\n", "$4 = 7\n");
	ask(numbers, 0, "$1 + $4", "$1 + $2");
	ask(numbers, 1, "$2.x + $3[0]", "$1.x + $2[0]");
	refuse(numbers, 0, "1 + $2", "$2 is a value of rank 1: use print 1 ...");
	refuse(numbers, 0, "$5", "there is no value $5: there were 4 so far");
	refuse(numbers, 0, "$0", "there is no value $0: there were 4 so far");
	value_numbers_free(numbers);
}

static void test_other_words(void **state)
{
	struct value_numbers *numbers = value_numbers_new();

	(void)state;
	tell(numbers, 3, "$1 = 5\n", "$1 = 5\n");
	ask(numbers, 0, "$ + $$ + $$1 + $rip + a$1 + _$1 + $1x",
	    "$ + $$ + $$1 + $rip + a$1 + _$1 + $1x");
	ask(numbers, 0, "\"$1 \\\" $1\" '$'", "\"$1 \\\" $1\" '$'");
	refuse(numbers, 0, "\"$1\" + $1", "$1 is a value of rank 3: use print 3 ...");
	ask(numbers, 0, "", "");
	value_numbers_free(numbers);
}

static void test_forgotten(void **state)
{
	struct value_numbers *numbers = value_numbers_new();

	(void)state;
	tell(numbers, 0, "$1 = 5\n", "$1 = 5\n");
	tell(numbers, 1, "$1 = 6\n", "$2 = 6\n");
	value_numbers_forget(numbers, 0);
	refuse(numbers, 0, "$1", "$1 is no longer known: its gdb has ended");
	ask(numbers, 1, "$2", "$1");
	tell(numbers, 0, "$1 = 7\n", "$3 = 7\n");
	ask(numbers, 0, "$3", "$1");
	value_numbers_free(numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_row),
		cmocka_unit_test(test_other_words),
		cmocka_unit_test(test_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
