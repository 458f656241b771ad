/* Outcomes are compared line by line; lines that vary by themselves are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explorer/path.h"
#include "scheduler/session/outcomes.h"

static void drop(gpointer bytes)
{
	if (bytes)
		g_bytes_unref(bytes);
}

/* Two texts; NULL: a missing file. */
static GPtrArray *texts(const char *one, const char *other)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(drop);

	g_ptr_array_add(all, g_bytes_new(one, strlen(one)));
	g_ptr_array_add(all, other ? g_bytes_new(other, strlen(other)) : NULL);
	return all;
}

static guint add(struct outcomes *outcomes, const char *one, const char *other)
{
	static guint32 id;
	g_autoptr(GPtrArray) left = texts(one, other);
	g_autoptr(RecordExecution) execution = record_execution_new();
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));

	execution->id = ++id;
	execution->buffering = RECORD_ZERO;
	execution->path = g_strdup_printf("path %u", id);
	return outcomes_add(outcomes, left, execution, choices);
}

static bool check(struct outcomes *outcomes, guint index, const char *one, const char *other)
{
	g_autoptr(GPtrArray) left = texts(one, other);

	return outcomes_check(outcomes, index, left);
}

static void assert_difference(struct outcomes *outcomes, const char *one, const char *other,
                              guint text, guint line, const char *here, const char *instead)
{
	struct outcome_difference difference = {0};
	g_autoptr(GPtrArray) left = texts(one, other);

	assert_true(outcomes_difference(outcomes, left, &difference));
	assert_int_equal(difference.text, text);
	assert_int_equal(difference.line, line);
	if (here)
		assert_string_equal(difference.here, here);
	else
		assert_null(difference.here);
	if (instead)
		assert_string_equal(difference.instead, instead);
	else
		assert_null(difference.instead);
	outcome_difference_clear(&difference);
}

static void test_outcomes_are_distinguished(void **state)
{
	struct outcomes *outcomes = outcomes_new();

	(void)state;
	assert_int_equal(add(outcomes, "a\nb\n", "x\n"), 0);
	assert_int_equal(add(outcomes, "a\nb\n", "x\n"), 0);
	assert_false(outcomes_differ(outcomes));
	assert_int_equal(add(outcomes, "a\nc\n", "x\n"), 1);
	assert_int_equal(add(outcomes, "a\nb\n", "x\ny\n"), 2);
	assert_int_equal(add(outcomes, "a\nb", "x\n"), 3);
	assert_int_equal(add(outcomes, "a\nc\n", "x\n"), 1);
	/* A line that moves from one text to the other counts as different. */
	assert_int_equal(add(outcomes, "a\nb\nx\n", ""), 4);
	assert_int_equal(add(outcomes, "a\nb\n", NULL), 5);
	assert_int_equal(add(outcomes, "a\nb\n", ""), 6);
	assert_true(outcomes_differ(outcomes));
	assert_int_equal(outcomes_count(outcomes), 7);
	assert_difference(outcomes, "a\nc\n", "x\n", 0, 2, "c", "b");
	assert_difference(outcomes, "a\nb\n", "x\ny\033\n", 1, 2, "y?", NULL);
	assert_difference(outcomes, "a\n", "x\n", 0, 2, NULL, "b");
	assert_difference(outcomes, "a\nb\n", NULL, 1, 1, "(no such file)", "x");
	assert_null(outcomes_varying(outcomes));
	outcomes_free(outcomes);
}

static void test_varying_lines(void **state)
{
	struct outcomes *outcomes = outcomes_new();

	(void)state;
	add(outcomes, "time 1\nsum 5\n", "");
	assert_int_equal(add(outcomes, "time 2\nsum 5\n", ""), 1);
	assert_int_equal(add(outcomes, "time 3\nsum 6\n", ""), 2);
	assert_false(check(outcomes, 0, "time 4\nsum 5\n", ""));
	assert_int_equal(outcomes_stands_for(outcomes, 1), 0);
	assert_int_equal(outcomes_stands_for(outcomes, 2), 2);
	assert_int_equal(add(outcomes, "time 5\nsum 5\n", ""), 0);
	assert_int_equal(add(outcomes, "time 6\nsum 6\n", ""), 2);
	assert_true(check(outcomes, 2, "time 7\nsum 6\n", ""));
	assert_difference(outcomes, "time 8\nsum 6\n", "", 0, 2, "sum 6", "sum 5");
	assert_int_equal(outcomes_varying(outcomes)->line, 1);
	assert_string_equal(outcomes_varying(outcomes)->here, "time 4");
	outcomes_free(outcomes);
}

static void test_varying_number_of_lines(void **state)
{
	struct outcomes *outcomes = outcomes_new();

	(void)state;
	add(outcomes, "start\n.\nend\n", "x\n");
	assert_int_equal(add(outcomes, "start\n.\n.\nend\n", "x\n"), 1);
	assert_int_equal(add(outcomes, "start\n.\n.\nend\n", "y\n"), 2);
	assert_false(check(outcomes, 0, "start\n.\n.\n.\nend\n", "x\n"));
	assert_int_equal(outcomes_stands_for(outcomes, 1), 0);
	assert_int_equal(outcomes_stands_for(outcomes, 2), 2);
	outcomes_free(outcomes);
}

static void test_too_many(void **state)
{
	struct outcomes *outcomes = outcomes_new();

	(void)state;
	for (guint i = 0; i < OUTCOMES_KEPT; i++) {
		g_autofree char *line = g_strdup_printf("%u\n", i);

		assert_int_equal(add(outcomes, line, ""), i);
	}
	assert_int_equal(add(outcomes, "more\n", ""), OUTCOMES_NONE);
	assert_int_equal(add(outcomes, "7\n", ""), 7);
	outcomes_free(outcomes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes_are_distinguished),
		cmocka_unit_test(test_varying_lines),
		cmocka_unit_test(test_varying_number_of_lines),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
