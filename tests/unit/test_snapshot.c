#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ckpt/snapshot.h"

enum { KEEPER = 12345 };

static int owners[8];
static guint64 process_bytes; /* 0: not known */

static guint64 measure(pid_t process, void *user)
{
	assert_ptr_equal(user, owners);
	assert_int_equal(process, KEEPER);
	return process_bytes;
}

static struct snapshot_set *set_new(guint64 memory, guint processes)
{
	return snapshot_set_new(memory, processes, measure, owners);
}

static struct snapshot *add(struct snapshot_set *set, int owner, double seconds, gsize key_count,
                            guint64 first, guint64 second, guint64 third)
{
	const guint64 keys[] = {first, second, third};
	const pid_t keepers[] = {KEEPER, KEEPER};

	return snapshot_set_add(set, keys, key_count, keepers, 2, seconds, &owners[owner]);
}

static void test_the_longest_contained_one_is_found(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, G_MAXUINT);
	struct snapshot *root = add(set, 0, 1, 0, 0, 0, 0);
	struct snapshot *one = add(set, 1, 1, 1, 7, 0, 0);
	struct snapshot *two = add(set, 2, 1, 2, 9, 7, 0);

	(void)state;
	add(set, 3, 1, 3, 7, 9, 11);
	assert_ptr_equal(snapshot_set_find(set, (guint64[]){12, 9, 7}, 3, NULL, NULL), two);
	assert_ptr_equal(snapshot_set_find(set, (guint64[]){7, 11}, 2, NULL, NULL), one);
	assert_ptr_equal(snapshot_set_find(set, (guint64[]){9, 11}, 2, NULL, NULL), root);
	assert_ptr_equal(snapshot_set_find(set, NULL, 0, NULL, NULL), root);
	assert_ptr_equal(snapshot_owner(two), &owners[2]);
	snapshot_set_remove(set, two);
	assert_ptr_equal(snapshot_set_find(set, (guint64[]){12, 9, 7}, 3, NULL, NULL), one);
	snapshot_set_remove(set, root);
	assert_null(snapshot_set_find(set, (guint64[]){9, 11}, 2, NULL, NULL));
	snapshot_set_free(set);
}

static void test_a_repeated_key_counts_once_for_each(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, G_MAXUINT);
	struct snapshot *twice = add(set, 0, 1, 2, 5, 5, 0);

	(void)state;
	assert_null(snapshot_set_find(set, (guint64[]){5, 6}, 2, NULL, NULL));
	assert_ptr_equal(snapshot_set_find(set, (guint64[]){5, 5}, 2, NULL, NULL), twice);
	snapshot_set_free(set);
}

static void test_the_cheapest_goes_first(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, 6);
	struct snapshot *cheap, *dear;

	(void)state;
	add(set, 0, 0, 0, 0, 0, 0);
	dear = add(set, 1, 0.5, 1, 1, 0, 0);
	cheap = add(set, 2, 0.01, 2, 1, 2, 0);
	assert_null(snapshot_set_evict(set));
	add(set, 3, 0.2, 3, 1, 2, 3);
	assert_ptr_equal(snapshot_set_evict(set), cheap);
	snapshot_set_remove(set, cheap);
	assert_null(snapshot_set_evict(set));
	add(set, 4, 0.9, 1, 8, 0, 0);
	add(set, 5, 0.9, 1, 9, 0, 0);
	assert_ptr_not_equal(snapshot_set_evict(set), dear);
	snapshot_set_free(set);
}

static void test_the_least_recently_used_of_equals_goes_first(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, 3);
	struct snapshot *older, *newer;

	(void)state;
	older = add(set, 0, 0.0101, 1, 1, 0, 0);
	newer = add(set, 1, 0.0102, 1, 2, 0, 0);
	assert_ptr_equal(snapshot_set_evict(set), older);
	assert_ptr_equal(snapshot_set_find(set, (guint64[]){1}, 1, NULL, NULL), older);
	assert_ptr_equal(snapshot_set_evict(set), newer);
	snapshot_set_free(set);
}

static void test_the_root_is_never_evicted(void **state)
{
	struct snapshot_set *set = set_new(1, 1);

	(void)state;
	add(set, 0, 0, 0, 0, 0, 0);
	assert_null(snapshot_set_evict(set));
	snapshot_set_free(set);
}

static void test_memory_is_budgeted(void **state)
{
	struct snapshot_set *set = set_new(100 << 20, 100);
	struct snapshot *first;

	(void)state;
	process_bytes = 40 << 20;
	first = add(set, 0, 1, 1, 1, 0, 0); /* of two processes */
	assert_null(snapshot_set_evict(set));
	add(set, 1, 2, 1, 2, 0, 0);
	assert_ptr_equal(snapshot_set_evict(set), first);
	snapshot_set_remove(set, first);
	assert_null(snapshot_set_evict(set));
	snapshot_set_free(set);
}

static void test_memory_is_guessed_where_it_cannot_be_measured(void **state)
{
	struct snapshot_set *set = set_new(1000, 100);
	struct snapshot *only;

	(void)state;
	process_bytes = 0;
	only = add(set, 0, 1, 1, 1, 0, 0);
	assert_ptr_equal(snapshot_set_evict(set), only);
	snapshot_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_longest_contained_one_is_found),
		cmocka_unit_test(test_a_repeated_key_counts_once_for_each),
		cmocka_unit_test(test_the_cheapest_goes_first),
		cmocka_unit_test(test_the_least_recently_used_of_equals_goes_first),
		cmocka_unit_test(test_the_root_is_never_evicted),
		cmocka_unit_test(test_memory_is_budgeted),
		cmocka_unit_test(test_memory_is_guessed_where_it_cannot_be_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
