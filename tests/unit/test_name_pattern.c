/* room: scheduler/session. Names of files of which a part varies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/session/name_pattern.h"

static void assert_pattern(const char *one, const char *other, const char *expected,
                           const char *fits, const char *does_not)
{
	struct name_pattern pattern;
	g_autofree char *shown = NULL;

	assert_true(name_pattern_learn(one, other, &pattern));
	shown = name_pattern_print(&pattern);
	assert_string_equal(shown, expected);
	assert_true(name_pattern_matches(&pattern, one));
	assert_true(name_pattern_matches(&pattern, other));
	assert_true(name_pattern_matches(&pattern, fits));
	assert_false(name_pattern_matches(&pattern, does_not));
	name_pattern_clear(&pattern);
}

static void test_patterns(void **state)
{
	(void)state;
	assert_pattern("/a/out.1234", "/a/out.1250", "/a/out.*", "/a/out.99999", "/a/out.txt");
	assert_pattern("/a/out.1234", "/a/out.999", "/a/out.*", "/a/out.1", "/a/out.");
	assert_pattern("/a/9.4.dat", "/a/9.5.dat", "/a/9.*.dat", "/a/9.17.dat", "/a/8.4.dat");
	assert_pattern("/a/18:20:01.log", "/a/18:20:03.log", "/a/*.log", "/a/19:01:59.log",
	               "/a/18:20:011.log");
	assert_pattern("/a/tmpAbCdEf", "/a/tmpZ9yX8w", "/a/tmp*", "/a/tmp000000", "/a/tmp00000");
	assert_pattern("/run.12/x.txt", "/run.15/x.txt", "/run.*/x.txt", "/run.3/x.txt",
	               "/run.3/y.txt");
}

/* The six characters of mkstemp(3), of which two names have some in common. */
static void test_template(void **state)
{
	(void)state;
	assert_pattern("/a/r-kAbcdE", "/a/r-kZyxwV", "/a/r-*", "/a/r-000000", "/a/r-00000");
	assert_pattern("/a/r-AbcdEk", "/a/r-ZyxwVk", "/a/r-*", "/a/r-000000", "/a/r-0000000");
	assert_pattern("/a/r-kAbcEk.txt", "/a/r-kZywVk.txt", "/a/r-*.txt", "/a/r-000000.txt",
	               "/a/r-0000000.txt");
	assert_pattern("/a/tmpAbcdEk", "/a/tmpZyxwVk", "/a/tmp*", "/a/tmp000000", "/a/tmq000000");
	/* No word of six. */
	assert_pattern("/a/at-Mon", "/a/at-Tue", "/a/at-*", "/a/at-Wed", "/a/at-Wedn");
}

static void test_no_pattern(void **state)
{
	struct name_pattern pattern;

	(void)state;
	assert_false(name_pattern_learn("/a/x", "/a/x.bak", &pattern));
	assert_false(name_pattern_learn("/run.12/x.12", "/run.15/x.15", &pattern));
	assert_false(name_pattern_learn("/a/b/c", "/a/x/y/c", &pattern));
}

static void test_likeness(void **state)
{
	(void)state;
	assert_int_equal(name_pattern_likeness("abcd", "abxd"), 3);
	assert_int_equal(name_pattern_likeness("aa", "aaa"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_template),
		cmocka_unit_test(test_no_pattern),
		cmocka_unit_test(test_likeness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
