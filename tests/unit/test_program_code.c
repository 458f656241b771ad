#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/places/program_code.h"

static struct program_code *code;

static bool is_it(const char *name, void *user)
{
	return strcmp(name, user) == 0;
}

static void a_line_has_code_or_its_neighbours_have(void **state)
{
	guint before = 0, behind = 0, line = __LINE__;

	(void)state;
	assert_true(program_code_line(code, "test_program_code.c", line, &before, &behind));
	assert_int_equal(before, line);
	assert_int_equal(behind, line);
	/* included lines have no code here */
	assert_true(program_code_line(code, "test_program_code.c", 1, &before, &behind));
	assert_int_equal(before, 0);
	assert_in_range(behind, 2, line);
	assert_true(program_code_line(code, "test_program_code.c", 100000, &before, &behind));
	assert_in_range(before, line, 99999);
	assert_int_equal(behind, 0);
}

static void a_file_that_is_no_part_is_not_known(void **state)
{
	guint before, behind;

	(void)state;
	assert_false(program_code_line(code, "program_code.cc", 1, &before, &behind));
	assert_false(program_code_line(code, "", 1, &before, &behind));
}

static void functions_are_known_by_name(void **state)
{
	(void)state;
	assert_true(program_code_function(code, is_it, (void *)"is_it"));
	assert_true(program_code_function(code, is_it, (void *)"main"));
	assert_false(program_code_function(code, is_it, (void *)"is_it_not"));
}

static void what_cannot_be_read_is_nothing(void **state)
{
	(void)state;
	assert_null(program_code_new("/nowhere", 0));
	assert_null(program_code_new("/dev/null", 0));
	assert_null(program_code_new(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_code_or_its_neighbours_have),
		cmocka_unit_test(a_file_that_is_no_part_is_not_known),
		cmocka_unit_test(functions_are_known_by_name),
		cmocka_unit_test(what_cannot_be_read_is_nothing),
	};
	int failed;

	code = program_code_new("/proc/self/exe", getpid());
	g_assert_nonnull(code);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	program_code_free(code);
	return failed;
}
