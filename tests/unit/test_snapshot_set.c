#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ckpt/snapshot_set.h"

#define START "mp1:n2:@0.1,1.1"

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

static struct position *at(const char *text)
{
	struct position *position = position_parse(text, NULL);

	assert_non_null(position);
	return position;
}

static struct snapshot_entry *add(struct snapshot_set *set, int owner, double seconds,
                                  const char *text)
{
	const pid_t keepers[] = {KEEPER, KEEPER};

	return snapshot_set_add(set, at(text), keepers, 0, seconds, &owners[owner]);
}

static struct snapshot_entry *find(struct snapshot_set *set, const char *text)
{
	struct position *target = at(text);
	struct snapshot_entry *found = snapshot_set_find(set, target, NULL, NULL);

	position_free(target);
	return found;
}

static void test_the_longest_contained_one_is_found(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, G_MAXUINT);
	struct snapshot_entry *root = add(set, 0, 1, START);
	struct snapshot_entry *one = add(set, 1, 1, "mp1:n2:zero:0.7=1@0.7,1.2");
	struct snapshot_entry *two = add(set, 2, 1, "mp1:n2:zero:1.9=0,0.7=1@0.7,1.9");

	(void)state;
	add(set, 3, 1, "mp1:n2:zero:0.7=1,1.9=0,0.11=1@0.11,1.9");
	assert_ptr_equal(find(set, "mp1:n2:zero:0.12=1,1.9=0,0.7=1"), two);
	assert_ptr_equal(find(set, "mp1:n2:zero:0.7=1,0.11=1"), one);
	assert_ptr_equal(find(set, "mp1:n2:zero:1.9=0,0.11=1"), root);
	assert_ptr_equal(find(set, "mp1:n2:zero:"), root);
	assert_ptr_equal(snapshot_entry_owner(two), &owners[2]);
	snapshot_set_remove(set, two);
	assert_ptr_equal(find(set, "mp1:n2:zero:0.12=1,1.9=0,0.7=1"), one);
	snapshot_set_remove(set, root);
	assert_null(find(set, "mp1:n2:zero:1.9=0,0.11=1"));
	snapshot_set_free(set);
}

static bool is_owned_by(const struct snapshot_entry *entry, void *owner)
{
	return snapshot_entry_owner(entry) == owner;
}

static void test_what_does_not_serve_is_not_found(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, G_MAXUINT);
	struct snapshot_entry *root = add(set, 0, 1, START);
	struct position *target = at("mp1:n2:zero:0.7=1,0.11=1");

	(void)state;
	add(set, 1, 1, "mp1:n2:zero:0.7=1@0.7,1.2");
	assert_ptr_equal(snapshot_set_find(set, target, is_owned_by, &owners[0]), root);
	assert_null(snapshot_set_find(set, target, is_owned_by, &owners[2]));
	position_free(target);
	snapshot_set_free(set);
}

static void test_one_under_other_conditions_or_beyond_the_cut_is_not_found(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, G_MAXUINT);
	struct snapshot_entry *root = add(set, 0, 1, START);
	struct snapshot_entry *one = add(set, 1, 1, "mp1:n2:zero:0.7=1@0.7,1.2");

	(void)state;
	assert_ptr_equal(find(set, "mp1:n2:infinite:0.7=1"), root);
	assert_ptr_equal(find(set, "mp1:n2:zero:sync:0.7=1"), root);
	assert_ptr_equal(find(set, "mp1:n2:zero:0.7=0"), root);
	assert_ptr_equal(find(set, "mp1:n2:zero:0.7=1@0.9,1.1"), root);
	assert_ptr_equal(find(set, "mp1:n2:zero:0.7=1@0.9,1.2"), one);
	snapshot_set_free(set);
}

static void test_the_cheapest_goes_first(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, 6);
	struct snapshot_entry *cheap, *dear;

	(void)state;
	add(set, 0, 0, START);
	dear = add(set, 1, 0.5, "mp1:n2:zero:0.1=1@0.9,1.2");
	cheap = add(set, 2, 0.01, "mp1:n2:zero:0.1=1,0.2=1@0.9,1.2");
	assert_null(snapshot_set_evict(set, NULL));
	add(set, 3, 0.2, "mp1:n2:zero:0.1=1,0.2=1,0.3=1@0.9,1.2");
	assert_ptr_equal(snapshot_set_evict(set, NULL), cheap);
	snapshot_set_remove(set, cheap);
	assert_null(snapshot_set_evict(set, NULL));
	add(set, 4, 0.9, "mp1:n2:zero:0.8=1@0.9,1.2");
	add(set, 5, 0.9, "mp1:n2:zero:0.9=1@0.9,1.2");
	assert_ptr_not_equal(snapshot_set_evict(set, NULL), dear);
	snapshot_set_free(set);
}

static void test_the_least_recently_used_of_equals_goes_first(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, 3);
	struct snapshot_entry *older, *newer;

	(void)state;
	older = add(set, 0, 0.0101, "mp1:n2:zero:0.1=1@0.9,1.2");
	newer = add(set, 1, 0.0102, "mp1:n2:zero:0.2=1@0.9,1.2");
	assert_ptr_equal(snapshot_set_evict(set, NULL), older);
	assert_ptr_equal(find(set, "mp1:n2:zero:0.1=1"), older);
	assert_ptr_equal(snapshot_set_evict(set, NULL), newer);
	snapshot_set_free(set);
}

static void test_the_root_is_never_evicted(void **state)
{
	struct snapshot_set *set = set_new(1, 1);

	(void)state;
	add(set, 0, 0, START);
	assert_null(snapshot_set_evict(set, NULL));
	snapshot_set_free(set);
}

static void test_memory_is_budgeted(void **state)
{
	struct snapshot_set *set = set_new(100 << 20, 100);
	struct snapshot_entry *first;

	(void)state;
	process_bytes = 40 << 20;
	first = add(set, 0, 1, "mp1:n2:zero:0.1=1@0.9,1.2"); /* of two processes */
	assert_null(snapshot_set_evict(set, NULL));
	add(set, 1, 2, "mp1:n2:zero:0.2=1@0.9,1.2");
	assert_ptr_equal(snapshot_set_evict(set, NULL), first);
	snapshot_set_remove(set, first);
	assert_null(snapshot_set_evict(set, NULL));
	snapshot_set_free(set);
}

static bool only_the_second_may_go(const struct snapshot_entry *entry)
{
	return snapshot_entry_owner(entry) == &owners[1];
}

/* An image has no process, and so many bytes. */
static void test_bytes_beside_processes_are_budgeted(void **state)
{
	struct snapshot_set *set = set_new(100 << 20, 2);
	struct snapshot_entry *first, *second;

	(void)state;
	process_bytes = 1 << 20;
	add(set, 0, 1, "mp1:n2:zero:0.1=1@0.9,1.2");
	first = snapshot_set_add(set, at("mp1:n2:zero:0.2=1@0.9,1.2"), NULL, 60 << 20, 0.1,
	                         &owners[0]);
	assert_null(snapshot_set_evict(set, NULL));
	second = snapshot_set_add(set, at("mp1:n2:zero:0.3=1@0.9,1.2"), NULL, 60 << 20, 0.2,
	                          &owners[1]);
	assert_ptr_equal(snapshot_set_evict(set, NULL), first);
	assert_ptr_equal(snapshot_set_evict(set, only_the_second_may_go), second);
	snapshot_set_remove(set, second);
	assert_null(snapshot_set_evict(set, NULL));
	snapshot_set_free(set);
}

static void test_memory_is_guessed_where_it_cannot_be_measured(void **state)
{
	struct snapshot_set *set = set_new(1000, 100);
	struct snapshot_entry *only;

	(void)state;
	process_bytes = 0;
	only = add(set, 0, 1, "mp1:n2:zero:0.1=1@0.9,1.2");
	assert_ptr_equal(snapshot_set_evict(set, NULL), only);
	snapshot_set_free(set);
}

static void test_of_equal_ones_the_furthest_serves(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, 4);
	struct snapshot_entry *far = add(set, 0, 1, "mp1:n2:zero:@0.9,1.9");

	(void)state;
	assert_true(snapshot_set_has_room(set, 2));
	add(set, 1, 1, "mp1:n2:zero:@0.5,1.5");
	assert_ptr_equal(find(set, "mp1:n2:zero:@0.9,1.9"), far);
	assert_ptr_not_equal(find(set, "mp1:n2:zero:@0.8,1.9"), far);
	assert_false(snapshot_set_has_room(set, 1));
	snapshot_set_free(set);
}

static void test_waiting_processes_are_part_of_the_budget(void **state)
{
	struct snapshot_set *set = set_new(G_MAXUINT64, 8);

	(void)state;
	add(set, 0, 1, "mp1:n2:zero:@0.5,1.5");
	snapshot_set_count_beside(set, 4);
	assert_true(snapshot_set_has_room(set, 2));
	assert_false(snapshot_set_has_room(set, 3));
	assert_null(snapshot_set_evict(set, NULL));
	snapshot_set_count_beside(set, 4);
	assert_non_null(snapshot_set_evict(set, NULL));
	snapshot_set_count_beside(set, -8);
	assert_true(snapshot_set_has_room(set, 6));
	snapshot_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waiting_processes_are_part_of_the_budget),
		cmocka_unit_test(test_of_equal_ones_the_furthest_serves),
		cmocka_unit_test(test_the_longest_contained_one_is_found),
		cmocka_unit_test(test_what_does_not_serve_is_not_found),
		cmocka_unit_test(test_one_under_other_conditions_or_beyond_the_cut_is_not_found),
		cmocka_unit_test(test_the_cheapest_goes_first),
		cmocka_unit_test(test_the_least_recently_used_of_equals_goes_first),
		cmocka_unit_test(test_the_root_is_never_evicted),
		cmocka_unit_test(test_memory_is_budgeted),
		cmocka_unit_test(test_bytes_beside_processes_are_budgeted),
		cmocka_unit_test(test_memory_is_guessed_where_it_cannot_be_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
