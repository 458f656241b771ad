#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "explorer/ddmin.h"

#define THINGS 200

struct wanted {
	bool needed[THINGS]; /* the set that must be kept as a whole */
	guint asked, patience;
};

static bool has_all(const GArray *kept, gpointer user)
{
	struct wanted *wanted = user;
	guint missing = 0;

	if (++wanted->asked > wanted->patience)
		return false;
	for (guint i = 0; i < THINGS; i++)
		missing += wanted->needed[i];
	for (guint i = 0; i < kept->len; i++) {
		if (i > 0)
			assert_true(g_array_index(kept, guint, i - 1)
			            < g_array_index(kept, guint, i));
		missing -= wanted->needed[g_array_index(kept, guint, i)];
	}
	return missing == 0;
}

static void keeps_only_the_needed_set(void **state)
{
	(void)state;
	for (guint32 seed = 0; seed < 200; seed++) {
		g_autoptr(GRand) random = g_rand_new_with_seed(seed);
		guint count = (guint)g_rand_int_range(random, 0, THINGS);
		struct wanted wanted = {.patience = G_MAXUINT};
		guint needed = 0;
		GArray *kept;

		for (guint i = 0; i < count; i++)
			needed += wanted.needed[i] = g_rand_int_range(random, 0, 20) == 0;
		kept = ddmin(count, has_all, &wanted);
		assert_int_equal(kept->len, needed);
		for (guint i = 0; i < kept->len; i++)
			assert_true(wanted.needed[g_array_index(kept, guint, i)]);
		g_array_unref(kept);
	}
}

static bool odd_count(const GArray *kept, gpointer user)
{
	(void)user;
	return kept->len % 2 == 1;
}

static void is_one_minimal_when_nothing_is_monotone(void **state)
{
	GArray *kept = ddmin(99, odd_count, NULL);

	(void)state;
	assert_int_equal(kept->len, 1);
	g_array_unref(kept);
}

static void finds_one_of_many_quickly(void **state)
{
	struct wanted wanted = {.patience = G_MAXUINT};

	(void)state;
	wanted.needed[137] = true;
	g_array_unref(ddmin(THINGS, has_all, &wanted));
	assert_true(wanted.asked <= 2 * 8 + 1); /* 2 log2(200) and the empty set */
}

static void ends_with_a_set_that_was_tried(void **state)
{
	struct wanted wanted = {.patience = 5};
	struct wanted again = {.patience = 1};
	GArray *kept;

	(void)state;
	wanted.needed[3] = wanted.needed[60] = wanted.needed[150] = true;
	again = wanted;
	again.patience = G_MAXUINT;
	kept = ddmin(THINGS, has_all, &wanted);
	assert_true(kept->len < THINGS || wanted.asked > wanted.patience);
	assert_true(has_all(kept, &again));
	g_array_unref(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_only_the_needed_set),
		cmocka_unit_test(is_one_minimal_when_nothing_is_monotone),
		cmocka_unit_test(finds_one_of_many_quickly),
		cmocka_unit_test(ends_with_a_set_that_was_tried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
