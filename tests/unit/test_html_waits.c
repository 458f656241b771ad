#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/html_waits.h"
#include "scheduler/store/record.h"

static struct record_rank *add(GPtrArray *ranks, int32_t rank, const int32_t *others, guint count)
{
	struct record_rank *one = g_new0(struct record_rank, 1);

	one->rank = rank;
	one->waits_for = g_array_new(false, false, sizeof(int32_t));
	g_array_append_vals(one->waits_for, others, count);
	g_ptr_array_add(ranks, one);
	return one;
}

static void free_rank(void *pointer)
{
	struct record_rank *rank = pointer;

	g_array_unref(rank->waits_for);
	g_free(rank);
}

static guint occurrences(const char *text, const char *part)
{
	guint count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

static void test_a_cycle_is_lit(void **state)
{
	g_autoptr(GPtrArray) ranks = g_ptr_array_new_with_free_func(free_rank);
	g_autofree char *svg = NULL;
	char over[] = "ended";

	(void)state;
	add(ranks, 0, (const int32_t[]){1}, 1);
	add(ranks, 1, (const int32_t[]){0, 3}, 2);
	add(ranks, 2, (const int32_t[]){0}, 1); /* waits for ranks of the cycle */
	add(ranks, 3, NULL, 0)->ended = over;
	svg = html_waits(ranks);
	assert_int_equal(occurrences(svg, "<path class=\"cycle\""), 2);
	assert_int_equal(occurrences(svg, "<path class=\"wait\""), 2);
	assert_int_equal(occurrences(svg, "<circle class=\"cycle\""), 2);
	assert_int_equal(occurrences(svg, "<circle class=\"wait\""), 1);
	assert_int_equal(occurrences(svg, "<circle class=\"ended\""), 1);
	assert_non_null(strstr(svg, "<title>rank 2 waits for rank 0</title>"));
}

static void test_nothing_is_drawn_of_nothing_or_too_much(void **state)
{
	g_autoptr(GPtrArray) ranks = g_ptr_array_new_with_free_func(free_rank);

	(void)state;
	assert_null(html_waits(ranks));
	add(ranks, 0, NULL, 0);
	assert_null(html_waits(ranks));
	for (int32_t rank = 1; rank < 100; rank++)
		add(ranks, rank, (const int32_t[]){rank - 1}, 1);
	assert_null(html_waits(ranks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cycle_is_lit),
		cmocka_unit_test(test_nothing_is_drawn_of_nothing_or_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
