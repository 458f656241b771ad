/* Lines that vary: in each interleaving that is run again, or in some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explorer/path.h"
#include "scheduler/session/outcomes.h"
#include "scheduler/session/varying_lines.h"

static GPtrArray *texts(const char *one)
{
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

	g_ptr_array_add(all, g_bytes_new(one, strlen(one)));
	return all;
}

static guint32 last;

static void add(struct varying_lines *lines, const char *text, guint outcome)
{
	g_autoptr(GPtrArray) left = texts(text);
	g_autoptr(RecordExecution) execution = record_execution_new();
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));

	execution->id = ++last;
	execution->path = g_strdup_printf("path %u", execution->id);
	varying_lines_add(lines, left, execution, choices, outcome);
}

static void check(struct varying_lines *lines, guint example, const char *text)
{
	g_autoptr(GPtrArray) left = texts(text);

	varying_lines_check(lines, example, left);
}

static struct varying_lines *start(void)
{
	last = 0;
	return varying_lines_new(G_MAXUINT);
}

static void assert_suspect(const struct varying_lines *lines, guint line, guint steady,
                           guint erratic)
{
	struct varying_suspect suspect;

	assert_true(varying_lines_suspect(lines, &suspect));
	assert_int_equal(suspect.text, 0);
	assert_int_equal(suspect.line, line);
	assert_int_equal(varying_lines_first(lines, suspect.steady)->id, steady);
	assert_int_equal(varying_lines_first(lines, suspect.erratic)->id, erratic);
}

static void assert_no_suspect(const struct varying_lines *lines)
{
	struct varying_suspect suspect;

	assert_false(varying_lines_suspect(lines, &suspect));
}

/* The interleavings with the steady line, as a digit each. */
static char *steady_in(const struct varying_lines *lines)
{
	struct varying_suspect suspect;
	g_autoptr(GArray) steady = NULL;
	GString *digits = g_string_new(NULL);

	assert_true(varying_lines_suspect(lines, &suspect));
	steady = varying_lines_steady_in(lines, &suspect);
	for (guint i = 0; i < steady->len; i++)
		g_string_append_c(digits, g_array_index(steady, bool, i) ? '1' : '0');
	return g_string_free(digits, false);
}

static void test_under_some_choices_only(void **state)
{
	struct varying_lines *lines = start();
	g_autofree char *digits = NULL;

	(void)state;
	add(lines, "begin\nsum 42\n", 0);
	add(lines, "begin\nsum 7\n", 1);
	check(lines, varying_lines_example(lines, 0), "begin\nsum 42\n");
	assert_no_suspect(lines);
	check(lines, varying_lines_example(lines, 1), "begin\nsum 8\n");
	assert_suspect(lines, 1, 1, 2);
	add(lines, "begin\nsum 42\n", 0);
	add(lines, "begin\nsum 9\n", 0);
	digits = steady_in(lines);
	assert_string_equal(digits, "1010");
	varying_lines_free(lines);
}

static void test_everywhere(void **state)
{
	struct varying_lines *lines = start();
	g_autoptr(GVariant) everywhere = NULL;
	g_autofree char *text = NULL;
	guint at, line;

	(void)state;
	add(lines, "time 1\n", 0);
	add(lines, "time 2\n", 1);
	for (guint i = 0; i < 2; i++)
		check(lines, varying_lines_example(lines, i), "time 3\n");
	assert_no_suspect(lines);
	assert_true(varying_lines_first_everywhere(lines, &at, &line));
	assert_int_equal(line, 0);
	everywhere = varying_lines_everywhere(lines);
	text = g_variant_print(everywhere, false);
	assert_string_equal(text, "[(0, 0, false)]");
	assert_int_equal(varying_lines_candidate(lines), VARYING_LINES_NONE);
	varying_lines_free(lines);
}

/* The steady interleavings come after the line was left out. The most frequent value is tried. */
static void test_candidates(void **state)
{
	struct varying_lines *lines = start();
	guint candidate;

	(void)state;
	add(lines, "7\n", 0);
	add(lines, "8\n", 1);
	check(lines, varying_lines_example(lines, 0), "9\n");
	check(lines, varying_lines_example(lines, 1), "10\n");
	for (guint i = 0; i < 500; i++) {
		g_autofree char *other = g_strdup_printf("%u\n", 1000 + i);

		add(lines, i % 20 == 0 ? "42\n" : other, 0);
	}
	candidate = varying_lines_candidate(lines);
	assert_int_equal(varying_lines_first(lines, candidate)->id, 3);
	check(lines, candidate, "42\n");
	assert_suspect(lines, 0, 3, 1);
	varying_lines_free(lines);
}

static void test_number_of_lines(void **state)
{
	struct varying_lines *lines = start();
	g_autofree char *digits = NULL;

	(void)state;
	add(lines, "a\nb\n", 0);
	add(lines, "a\nb\nx\ny\n", 1);
	check(lines, varying_lines_example(lines, 1), "a\nb\nx\n");
	check(lines, varying_lines_example(lines, 0), "a\nb\n");
	assert_suspect(lines, 3, 1, 2);
	add(lines, "a\nb\n", 0);
	digits = steady_in(lines);
	assert_string_equal(digits, "101");
	varying_lines_free(lines);
}

/* A line that once was the same by chance, and then was not, is no suspect; nor is one that is
 * acquitted. */
static void test_by_chance(void **state)
{
	struct varying_lines *lines = start();
	struct varying_suspect suspect;

	(void)state;
	add(lines, "0.00 s\n", 0);
	add(lines, "0.01 s\n", 1);
	check(lines, varying_lines_example(lines, 1), "0.00 s\n");
	check(lines, varying_lines_example(lines, 0), "0.00 s\n");
	assert_suspect(lines, 0, 1, 2);
	check(lines, varying_lines_example(lines, 0), "0.01 s\n");
	assert_no_suspect(lines);
	check(lines, varying_lines_candidate(lines) == VARYING_LINES_NONE ? 0 : 1, "0.02 s\n");
	add(lines, "0.02 s\n", 0);
	check(lines, varying_lines_candidate(lines), "0.02 s\n");
	assert_true(varying_lines_suspect(lines, &suspect));
	varying_lines_acquit(lines, &suspect);
	assert_no_suspect(lines);
	varying_lines_free(lines);
}

static void test_comparing_with_the_steady_line(void **state)
{
	struct varying_lines *lines = start();
	struct varying_suspect suspect;
	g_autoptr(GPtrArray) same = texts("sum 42\n"), other = texts("sum 1\n");
	g_autoptr(GVariant) printed = NULL;
	guint text, line;
	gboolean rest; /* (GVariant) */
	guint64 hash;

	(void)state;
	add(lines, "sum 42\n", 0);
	add(lines, "sum 42\nmore\n", 1);
	add(lines, "sum 5\n", 2);
	check(lines, varying_lines_example(lines, 2), "sum 6\n");
	check(lines, varying_lines_example(lines, 0), "sum 42\n");
	assert_true(varying_lines_suspect(lines, &suspect));
	assert_true(varying_lines_is_steady(lines, &suspect, same));
	assert_false(varying_lines_is_steady(lines, &suspect, other));
	assert_false(varying_lines_met(lines, &suspect));
	printed = varying_lines_print(lines, &suspect);
	g_variant_get(printed, VARYING_LINES_SUSPECT, &text, &line, &rest, &hash);
	assert_int_equal(varying_lines_hash(same, text, line, rest), hash);
	assert_int_not_equal(varying_lines_hash(other, text, line, rest), hash);
	varying_lines_free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_under_some_choices_only),
		cmocka_unit_test(test_everywhere),
		cmocka_unit_test(test_candidates),
		cmocka_unit_test(test_number_of_lines),
		cmocka_unit_test(test_by_chance),
		cmocka_unit_test(test_comparing_with_the_steady_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
