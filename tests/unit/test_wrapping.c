#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/debug/wrapping.h"

static void expect(const char *text, guint width, const char *expected)
{
	g_autofree char *wrapped = wrapping_lines(text, width);

	assert_string_equal(wrapped, expected);
}

static void test_lines_that_fit_stay(void **state)
{
	(void)state;
	expect("", 80, "");
	expect("stopped: end\n  every rank has ended well\n", 80,
	       "stopped: end\n  every rank has ended well\n");
	expect("1234567890123456789012345678901234567890", 40,
	       "1234567890123456789012345678901234567890");
}

static void test_continuations_are_indented(void **state)
{
	(void)state;
	expect("  rank 0  MPI_Recv(ANY_SOURCE, tag=1)   a.c:15, call 2  can take\nnext\n", 42,
	       "  rank 0  MPI_Recv(ANY_SOURCE, tag=1)\n      a.c:15, call 2  can take\nnext\n");
	expect("a bcdefghijklmnopqrstuvwxyz bcdefghijklmnopqrstuvwxyz bcdefghijklmnopqrstuvwxyz",
	       40,
	       "a bcdefghijklmnopqrstuvwxyz\n    bcdefghijklmnopqrstuvwxyz\n"
	       "    bcdefghijklmnopqrstuvwxyz");
}

static void test_words_are_not_broken(void **state)
{
	const char *path = "path: mp1:n3:0.2=1,0.3=2,0.4=1,0.5=2,0.6=1,0.7=2,0.8=1,0.9=2\n";

	(void)state;
	expect(path, 40, path);
}

static void test_characters_count_not_bytes(void **state)
{
	const char *line = "  ääääääääääääääää ääääääääääääääääääää\n"; /* 39 columns */

	(void)state;
	expect(line, 40, line);
}

static void test_a_narrow_terminal_is_left_alone(void **state)
{
	(void)state;
	expect("one two three four five six seven\n", 8, "one two three four five six seven\n");
	expect("one two three four five six seven\n", 0, "one two three four five six seven\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_that_fit_stay),
		cmocka_unit_test(test_continuations_are_indented),
		cmocka_unit_test(test_words_are_not_broken),
		cmocka_unit_test(test_characters_count_not_bytes),
		cmocka_unit_test(test_a_narrow_terminal_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
