#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "reports/repetition.h"

static void append(GString *text, const GPtrArray *folded, const char *items)
{
	for (guint i = 0; i < folded->len; i++) {
		const struct repetition *one = g_ptr_array_index(folded, i);

		if (one->body) {
			g_string_append_printf(text, "%u(", one->count);
			append(text, one->body, items);
			g_string_append_c(text, ')');
		} else {
			g_string_append_c(text, items[one->first]);
		}
	}
}

/* The letters as text, with loops folded; free with g_free. */
static char *folded(const char *letters)
{
	g_autoptr(GArray) items = g_array_new(false, false, sizeof(guint));
	g_autoptr(GPtrArray) result = NULL;
	GString *text = g_string_new(NULL);

	for (const char *at = letters; *at; at++) {
		guint item = (guint)*at;

		g_array_append_val(items, item);
	}
	result = repetition_fold((const guint *)(const void *)items->data, items->len);
	append(text, result, letters);
	return g_string_free(text, false);
}

static void assert_folded(const char *letters, const char *expected)
{
	g_autofree char *text = folded(letters);

	assert_string_equal(text, expected);
}

static void calls_without_repetition_stay(void **state)
{
	(void)state;
	assert_folded("", "");
	assert_folded("abcdef", "abcdef");
	assert_folded("aabbcc", "aabbcc");
}

static void loops_are_shown_once(void **state)
{
	(void)state;
	assert_folded("aaaa", "4(a)");
	assert_folded("xababababy", "x4(ab)y");
	assert_folded("abcabcab", "2(abc)ab");
}

static void loops_in_loops(void **state)
{
	(void)state;
	assert_folded("aaaaabaaaaabaaaaab", "3(5(a)b)");
	assert_folded("xaaaaabbbbbaaaaabbbbby", "x2(5(a)5(b))y");
}

/* The outer loop's body is longer than the search allows until its inner loops are folded. */
static void long_loops_in_loops(void **state)
{
	g_autoptr(GString) letters = g_string_new(NULL);

	(void)state;
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 250; j++)
			g_string_append(letters, "ab");
		g_string_append_c(letters, 'c');
	}
	assert_folded(letters->str, "100(250(ab)c)");
}

static guint unfold(const GPtrArray *folds, const guint *items, guint *out, guint at)
{
	for (guint i = 0; i < folds->len; i++) {
		const struct repetition *one = g_ptr_array_index(folds, i);

		for (guint k = 0; k < one->count; k++) {
			if (one->body)
				at = unfold(one->body, items, out, at);
			else
				out[at++] = items[one->first];
		}
	}
	return at;
}

static void unfolding_restores_the_calls(void **state)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(29);
	guint items[200], again[200];

	(void)state;
	for (int round = 0; round < 2000; round++) {
		guint length = (guint)g_rand_int_range(random, 0, 200);
		g_autoptr(GPtrArray) result = NULL;

		for (guint i = 0; i < length; i++)
			items[i] = (guint)g_rand_int_range(random, 1, 2 + round % 3);
		result = repetition_fold(items, length);
		assert_int_equal(unfold(result, items, again, 0), length);
		assert_memory_equal(items, again, length * sizeof(guint));
	}
}

static void a_loop_takes_two_lines_more(void **state)
{
	const guint items[] = {1, 2, 1, 2, 1, 2, 3};
	g_autoptr(GPtrArray) result = repetition_fold(items, G_N_ELEMENTS(items));

	(void)state;
	assert_int_equal(result->len, 2);
	assert_int_equal(repetition_lines(result->pdata[0]), 4);
	assert_int_equal(repetition_lines(result->pdata[1]), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_without_repetition_stay),
		cmocka_unit_test(loops_are_shown_once),
		cmocka_unit_test(loops_in_loops),
		cmocka_unit_test(long_loops_in_loops),
		cmocka_unit_test(unfolding_restores_the_calls),
		cmocka_unit_test(a_loop_takes_two_lines_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
