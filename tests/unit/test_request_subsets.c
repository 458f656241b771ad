#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/request_subsets.h"

/* The number of sets of at most `most` of the requests first, first + 1, ...; *ret_all: whether
 * these and the full set are all sets. */
static guint count_sets(guint32 first, guint count, guint32 most, bool *ret_all)
{
	g_autoptr(GArray) indices = g_array_new(false, false, sizeof(guint32));
	g_autoptr(GArray) sets = g_array_new(false, false, sizeof(struct taken));
	g_autoptr(GHashTable)
		seen = g_hash_table_new_full(choice_key_hash, choice_key_equal, g_free, NULL);

	for (guint32 i = first; i < first + count; i++)
		g_array_append_val(indices, i);
	*ret_all = request_subsets_answers(indices, most, sets);
	for (guint i = 0; i < sets->len; i++) {
		struct choice choice = {point_call(0, 1, 0), g_array_index(sets, struct taken, i)};

		assert_int_equal((int)choice.taken.kind, TAKEN_SOME);
		assert_true(g_hash_table_add(seen, g_memdup2(&choice, sizeof(choice))));
	}
	return sets->len;
}

static void test_sizes(void **state)
{
	bool all;

	(void)state;
	assert_int_equal(count_sets(0, 0, 3, &all), 0);
	assert_true(all);
	assert_int_equal(count_sets(5, 1, 3, &all), 0);
	assert_true(all);
	assert_int_equal(count_sets(0, 2, 1, &all), 0);
	assert_true(all); /* the set of both is the full set */
	assert_int_equal(count_sets(0, 3, 1, &all), 0);
	assert_false(all);
	assert_int_equal(count_sets(0, 3, 2, &all), 3);
	assert_true(all);
	assert_int_equal(count_sets(0, 3, 3, &all), 4);
	assert_true(all);
	assert_int_equal(count_sets(0, 5, 3, &all), 10 + 10);
	assert_false(all);
	assert_int_equal(count_sets(0, 5, 4, &all), 10 + 10 + 5);
	assert_true(all);
	assert_int_equal(count_sets(0, 10, 64, &all), (1 << 10) - 1 - 10);
	assert_true(all);
}

/* One answer reports only requests of one window. */
static void test_windows(void **state)
{
	bool all;

	(void)state;
	assert_int_equal(count_sets(TAKEN_WINDOW - 2, 4, 4, &all), 2);
	assert_false(all);
	assert_int_equal(count_sets(TAKEN_WINDOW, 4, 4, &all), 6 + 4 + 1);
	assert_true(all);
}

static void test_too_many(void **state)
{
	bool all;

	(void)state;
	assert_int_equal(count_sets(0, 64, 64, &all), MOST_SETS);
	assert_false(all);
	assert_int_equal(count_sets(0, 64, 2, &all), 64 * 63 / 2);
	assert_false(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
