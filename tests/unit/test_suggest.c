#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/commands/command_suggest.h"

static void assert_meant(const char *word, const char *text, const char *expected)
{
	g_autofree char *meant = command_suggest(word, text);

	assert_string_equal(meant, expected);
}

static void test_what_is_near(void **state)
{
	static const char help[] = "  -n, --ranks=N  how many\n  --max-time=S\n  --max-memory=M\n"
				   "  -q, --quiet  say nothing of max time";

	(void)state;
	assert_meant("explor", "explore run replay", "; did you mean explore?");
	assert_meant("rnu", "explore run replay", "; did you mean run?");
	assert_meant("--maxtime", help, "; did you mean --max-time?");
	assert_meant("--max-meomry", help, "; did you mean --max-memory?");
	assert_meant("--quite", help, "; did you mean --quiet?");
}

static void test_what_is_not(void **state)
{
	g_autofree char *longer = g_strnfill(5000, 'x');

	(void)state;
	assert_meant("banana", "explore run replay", "");
	assert_meant("--explore", "explore run replay", "");
	assert_meant("explore", "--explore -- run", "");
	assert_meant("", "explore run", "");
	assert_meant(longer, "explore", "");
	assert_meant("explore", longer, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_near),
		cmocka_unit_test(test_what_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
