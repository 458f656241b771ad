/* room: store. The table of limits, and sets of limits as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "scheduler/store/limit.h"

static void test_rows(void **state)
{
	(void)state;
	for (enum limit limit = 0; limit < LIMITS; limit++) {
		const struct limit_info *info = limit_info(limit);
		enum limit found;

		if (!info->name)
			fail_msg("row %d has no name", (int)limit);
		assert_true((info->text == NULL) != (info->about == NULL));
		assert_true(limit_find(info->name, &found));
		assert_int_equal(found, limit);
		/* It is one of several in a line, separated by semicolons. */
		if (info->text && (strpbrk(info->text, ";") || g_str_has_suffix(info->text, ".")))
			fail_msg("%s: no clause: %s", info->name, info->text);
	}
	assert_true(LIMITS <= 64); /* LIMIT_BIT */
	assert_false(limit_find("no such limit", &(enum limit){0}));
	assert_false(limit_find(NULL, &(enum limit){0}));
}

static void test_print(void **state)
{
	g_autoptr(GPtrArray) limits = limits_new();
	g_autofree char *left = NULL, *unchecked = NULL;

	(void)state;
	assert_null(limits_print(limits, LIMIT_NOT_EXPLORED));
	limits_add(limits, LIMIT_LINES_VARY, g_strdup("line 3 varies"));
	limits_add_set(limits, LIMIT_BIT(LIMIT_WINDOW_MEMORY) | LIMIT_BIT(LIMIT_COLLECTIVES_SYNC));
	assert_int_equal(limits->len, 3);
	limits_add(limits, LIMIT_STOPPED, g_strdup("stopped by Ctrl-C"));
	limits_add(limits, LIMIT_STOPPED, g_strdup("stopped by Ctrl-C"));
	limits_add(limits, LIMIT_LINES_VARY, g_strdup("line 4 varies"));
	assert_int_equal(limits->len, 5);
	assert_true(limits_have(limits, LIMIT_STOPPED));
	assert_false(limits_have(limits, LIMIT_COLLECTIVES_ASYNC));
	left = limits_print(limits, LIMIT_NOT_EXPLORED);
	unchecked = limits_print(limits, LIMIT_NOT_CHECKED);
	/* by the order of the table; what lifts a limit stands behind it */
	assert_true(g_str_has_prefix(left, "stopped by Ctrl-C; collectives that need not wait"));
	assert_true(g_str_has_suffix(left, " was not explored (--collectives both)"));
	assert_true(g_str_has_prefix(unchecked, "loads and stores of the program in windows"));
	assert_true(g_str_has_suffix(unchecked, "; line 3 varies; line 4 varies"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
