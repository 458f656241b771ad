#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/chunks.h"

enum { SHIFT = 2 }; /* four elements in a chunk */

static void append(struct chunks *chunks, int from, int to)
{
	for (int i = from; i < to; i++)
		chunks_append(chunks, &i);
}

static void assert_holds(const struct chunks *chunks, const int *values, size_t count)
{
	assert_int_equal(chunks->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(*(const int *)chunks_at(chunks, i), values[i]);
}

static void test_copies_are_independent(void **state)
{
	struct chunks one = chunks_of(sizeof(int), SHIFT), other = chunks_of(sizeof(int), SHIFT);

	(void)state;
	append(&one, 0, 6);
	chunks_follow(&other, &one);
	assert_ptr_equal(one.all[0], other.all[0]);
	assert_ptr_equal(one.all[1], other.all[1]);
	append(&one, 6, 9); /* in the chunk that both share */
	assert_holds(&other, (const int[]){0, 1, 2, 3, 4, 5}, 6);
	append(&other, 60, 61);
	assert_holds(&one, (const int[]){0, 1, 2, 3, 4, 5, 6, 7, 8}, 9);
	assert_holds(&other, (const int[]){0, 1, 2, 3, 4, 5, 60}, 7);
	assert_ptr_equal(one.all[0], other.all[0]);
	chunks_release(&one);
	assert_holds(&other, (const int[]){0, 1, 2, 3, 4, 5, 60}, 7);
	chunks_release(&other);
}

static void test_cut_and_write_affect_one_array(void **state)
{
	struct chunks one = chunks_of(sizeof(int), SHIFT), other = chunks_of(sizeof(int), SHIFT);

	(void)state;
	append(&one, 0, 7);
	chunks_follow(&other, &one);
	*(int *)chunks_write(&other, 1) = 10;
	assert_holds(&one, (const int[]){0, 1, 2, 3, 4, 5, 6}, 7);
	chunks_cut(&one, 5);
	append(&one, 50, 52);
	assert_holds(&one, (const int[]){0, 1, 2, 3, 4, 50, 51}, 7);
	assert_holds(&other, (const int[]){0, 10, 2, 3, 4, 5, 6}, 7);
	append(&other, 70, 71);
	assert_holds(&other, (const int[]){0, 10, 2, 3, 4, 5, 6, 70}, 8);
	chunks_release(&one);
	chunks_release(&other);
}

/* As the search follows the traces of one world after the other. */
static void test_follows_from_the_common_prefix(void **state)
{
	struct chunks one = chunks_of(sizeof(int), SHIFT), other = chunks_of(sizeof(int), SHIFT);
	struct chunks reader = chunks_of(sizeof(int), SHIFT);

	(void)state;
	append(&one, 0, 10);
	chunks_follow(&reader, &one);
	append(&other, 0, 7);
	append(&other, 70, 74);
	assert_int_equal(chunks_skip_shared(&reader, &one, 5), 8);
	assert_int_equal(chunks_skip_shared(&reader, &other, 5), 5);
	chunks_cut(&reader, 7);
	chunks_follow(&reader, &other);
	assert_holds(&reader, (const int[]){0, 1, 2, 3, 4, 5, 6, 70, 71, 72, 73}, 11);
	assert_ptr_equal(reader.all[0], one.all[0]);
	assert_ptr_equal(reader.all[1], other.all[1]);
	chunks_follow(&reader, &one); /* `one` is shorter */
	assert_int_equal(reader.count, 11);
	chunks_release(&one);
	chunks_release(&other);
	assert_holds(&reader, (const int[]){0, 1, 2, 3, 4, 5, 6, 70, 71, 72, 73}, 11);
	chunks_release(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies_are_independent),
		cmocka_unit_test(test_cut_and_write_affect_one_array),
		cmocka_unit_test(test_follows_from_the_common_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
