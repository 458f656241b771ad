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

/* --- files ------------------------------------------------------------------------------------ */

static guint add_bytes(struct outcomes *outcomes, const char *bytes, gsize size)
{
	g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(drop);
	g_autoptr(RecordExecution) execution = record_execution_new();
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));

	g_ptr_array_add(left, g_bytes_new("", 0));
	g_ptr_array_add(left, g_bytes_new(bytes, size));
	return outcomes_add(outcomes, left, execution, choices);
}

static bool check_bytes(struct outcomes *outcomes, const char *bytes, gsize size)
{
	g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(drop);

	g_ptr_array_add(left, g_bytes_new("", 0));
	g_ptr_array_add(left, g_bytes_new(bytes, size));
	return outcomes_check(outcomes, 0, left);
}

#define BLOCK(head, first, second) "\0" head "-abcdefghijkl" first "-abcdefghijklmn" second

/* A date in the header of a binary file does no harm, and the rest is compared. */
static void test_varying_blocks(void **state)
{
	struct outcomes *outcomes = outcomes_new();
	const char one[] = BLOCK("11", "1", "1"), two[] = BLOCK("22", "1", "1");
	const char other[] = BLOCK("33", "1", "2");

	(void)state;
	outcomes_files_from(outcomes, 1);
	assert_int_equal(add_bytes(outcomes, one, sizeof(one)), 0);
	assert_int_equal(add_bytes(outcomes, two, sizeof(two)), 1);
	assert_int_equal(add_bytes(outcomes, other, sizeof(other)), 2);
	assert_false(check_bytes(outcomes, two, sizeof(two)));
	assert_int_equal(outcomes_stands_for(outcomes, 1), 0);
	assert_int_equal(outcomes_stands_for(outcomes, 2), 2);
	assert_true(outcomes_varying(outcomes)->is_block);
	assert_int_equal(outcomes_varying(outcomes)->line, 1);
	outcomes_free(outcomes);
}

/* A file is only changed in a later interleaving: the earlier ones left what was there before. */
static void test_added_text(void **state)
{
	struct outcomes *outcomes = outcomes_new();
	g_autoptr(GBytes) before = g_bytes_new_static("old\n", 4);
	g_autoptr(GPtrArray) left = texts("a\n", "");
	g_autoptr(RecordExecution) execution = record_execution_new();
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));
	struct outcome_difference difference = {0};

	(void)state;
	outcomes_files_from(outcomes, 2);
	assert_int_equal(add(outcomes, "a\n", ""), 0);
	assert_int_equal(add(outcomes, "b\n", ""), 1);
	outcomes_add_text(outcomes, before);
	g_ptr_array_add(left, g_bytes_ref(before));
	assert_int_equal(outcomes_add(outcomes, left, execution, choices), 0);
	drop(left->pdata[2]);
	left->pdata[2] = g_bytes_new_static("new\n", 4);
	assert_int_equal(outcomes_add(outcomes, left, execution, choices), 2);
	assert_true(outcomes_difference(outcomes, left, &difference));
	assert_int_equal(difference.text, 2);
	assert_string_equal(difference.here, "new");
	assert_string_equal(difference.instead, "old");
	outcome_difference_clear(&difference);
	outcomes_leave_text(outcomes, 2);
	assert_int_equal(outcomes_stands_for(outcomes, 2), 0);
	assert_int_equal(outcomes_stands_for(outcomes, 1), 1);
	outcomes_free(outcomes);
}

/* A file that is there in one of two equal runs only has a name that varies. */
static void test_file_that_varies(void **state)
{
	struct outcomes *outcomes = outcomes_new();

	(void)state;
	outcomes_files_from(outcomes, 1);
	assert_int_equal(add(outcomes, "", "one line\n"), 0);
	assert_int_equal(add(outcomes, "", NULL), 1);
	assert_int_equal(add(outcomes, "", "two\nlines\n"), 2);
	assert_false(check(outcomes, 0, "", NULL));
	assert_int_equal(outcomes_stands_for(outcomes, 1), 0);
	assert_int_equal(outcomes_stands_for(outcomes, 2), 0);
	outcomes_free(outcomes);
}

/* A file has another name in each run: its contents count. */
static void test_names_that_vary(void **state)
{
	struct outcomes *outcomes = outcomes_new();
	g_autoptr(GArray) varying = g_array_new(false, false, sizeof(guint));
	g_autoptr(GPtrArray) contents = g_ptr_array_new_with_free_func(drop);
	guint text = 1;

	(void)state;
	outcomes_files_from(outcomes, 1);
	assert_int_equal(add(outcomes, "", "same\n"), 0);
	outcomes_add_text(outcomes, NULL);
	g_array_append_val(varying, text);
	text = 2;
	g_array_append_val(varying, text);
	g_ptr_array_add(contents, g_bytes_new_static("", 0));
	g_ptr_array_add(contents, NULL);
	g_ptr_array_add(contents, g_bytes_new_static("same\n", 5));
	{
		g_autoptr(RecordExecution) execution = record_execution_new();
		g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));

		assert_int_equal(outcomes_add(outcomes, contents, execution, choices), 1);
	}
	assert_true(outcomes_has(outcomes, 0, 1) && outcomes_has(outcomes, 1, 2));
	assert_false(outcomes_has(outcomes, 1, 1));
	assert_int_equal(outcomes_most(outcomes, varying), 1);
	outcomes_add_text(outcomes, NULL);
	outcomes_unite(outcomes, varying, 1);
	assert_int_equal(outcomes_stands_for(outcomes, 1), 0);
	assert_true(outcomes_has(outcomes, 1, 3));
	outcomes_free(outcomes);
}

static void test_contents_in_order(void **state)
{
	g_autoptr(GPtrArray) one = g_ptr_array_new_with_free_func(drop);
	g_autoptr(GPtrArray) other = g_ptr_array_new_with_free_func(drop);

	(void)state;
	for (guint i = 0; i < 3; i++) {
		g_autofree char *text = g_strdup_printf("%u\n", i);
		g_autofree char *back = g_strdup_printf("%u\n", 2 - i);

		g_ptr_array_add(one, g_bytes_new(text, strlen(text)));
		g_ptr_array_add(other, g_bytes_new(back, strlen(back)));
	}
	outcomes_arrange(one);
	outcomes_arrange(other);
	for (guint i = 0; i < 3; i++)
		assert_true(g_bytes_equal(one->pdata[i], other->pdata[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes_are_distinguished),
		cmocka_unit_test(test_varying_lines),
		cmocka_unit_test(test_varying_number_of_lines),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_varying_blocks),
		cmocka_unit_test(test_added_text),
		cmocka_unit_test(test_file_that_varies),
		cmocka_unit_test(test_names_that_vary),
		cmocka_unit_test(test_contents_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
