#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/node_set.h"

enum { ROUNDS = 20000, FEW = 40, MANY = 100000 };

/* Few different hashes, so that they are removed and added again, beside each other in the slots.
 * One of them is the number that marks empty slots. */
static void test_is_a_set(void **state)
{
	g_autoptr(GHashTable) model = g_hash_table_new(NULL, NULL);
	GRand *random = g_rand_new_with_seed(1);
	struct node_set *set = node_set_new();

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		guint node = (guint)g_rand_int_range(random, 0, FEW);
		bool has = g_hash_table_contains(model, GUINT_TO_POINTER(node));

		if (g_rand_boolean(random)) {
			assert_int_equal(node_set_add(set, node), !has);
			g_hash_table_add(model, GUINT_TO_POINTER(node));
		} else {
			assert_int_equal(node_set_remove(set, node), has);
			g_hash_table_remove(model, GUINT_TO_POINTER(node));
		}
		assert_int_equal(node_set_count(set), g_hash_table_size(model));
	}
	node_set_unref(set);
	g_rand_free(random);
}

static void test_grows_and_stays_small(void **state)
{
	struct node_set *set = node_set_new(), *other = node_set_ref(set);

	(void)state;
	assert_false(node_set_remove(set, 7));
	assert_int_equal(node_set_bytes(set), 0);
	for (uint64_t i = 0; i < MANY; i++)
		assert_true(node_set_add(i % 2 ? set : other, i << 32));
	node_set_unref(set);
	for (uint64_t i = 0; i < MANY; i++)
		assert_false(node_set_add(other, i << 32));
	assert_int_equal(node_set_count(other), MANY);
	assert_true(node_set_bytes(other) <= 22 * node_set_count(other));
	assert_false(node_set_remove(other, 1));
	for (uint64_t i = 0; i < MANY; i++)
		assert_true(node_set_remove(other, i << 32));
	assert_int_equal(node_set_count(other), 0);
	node_set_unref(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_a_set),
		cmocka_unit_test(test_grows_and_stays_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
