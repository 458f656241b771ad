/* Part of the preloaded shim, compiled in here alone. */
#include "shim/check/intervals.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void count(struct interval *interval, void *user)
{
	unsigned *times = interval->owner;

	(void)user;
	++*times;
}

static uint32_t random_number(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % below;
}

/* `found` is called once for each interval that meets the range, and for no other. */
static void test_random_intervals_agree_with_a_search_through_all(void **state)
{
	enum { COUNT = 300, ROUNDS = 3000, SPACE = 400 };
	static struct interval list[COUNT];
	static bool is_there[COUNT];
	static unsigned times[COUNT];
	struct intervals intervals = {NULL};
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t index = random_number(&random, COUNT);
		int64_t low = random_number(&random, SPACE);
		int64_t high = low + 1 + random_number(&random, 40);

		if (is_there[index]) {
			intervals_remove(&intervals, &list[index]);
		} else {
			list[index] = (struct interval){
				.low = low, .high = high, .owner = &times[index]};
			intervals_add(&intervals, &list[index]);
		}
		is_there[index] = !is_there[index];
		low = random_number(&random, SPACE);
		high = low + 1 + random_number(&random, 20);
		for (int i = 0; i < COUNT; i++)
			times[i] = 0;
		intervals_meet(&intervals, low, high, count, NULL);
		for (int i = 0; i < COUNT; i++)
			assert_int_equal(times[i],
			                 is_there[i] && list[i].low < high && low < list[i].high);
	}
}

/* With many disjoint intervals few nodes are visited, in whatever order they are added and
 * removed. */
static void test_few_nodes_are_visited(void **state)
{
	enum { COUNT = 5000, LENGTH = 64, MOST = 64 };
	struct interval *list = calloc(COUNT, sizeof(*list));
	struct intervals intervals = {NULL};
	unsigned times = 0;

	(void)state;
	assert_non_null(list);
	for (int i = 0; i < COUNT; i++) {
		list[i] = (struct interval){.low = (int64_t)i * LENGTH,
		                            .high = (int64_t)(i + 1) * LENGTH,
		                            .owner = &times};
		assert_in_range(intervals_meet(&intervals, list[i].low, list[i].high, count, NULL),
		                0, MOST);
		intervals_add(&intervals, &list[i]);
	}
	assert_int_equal(times, 0);
	for (int i = 0; i < COUNT; i++) {
		intervals_remove(&intervals, &list[i]);
		assert_in_range(intervals_meet(&intervals, list[i].low, list[i].high, count, NULL),
		                0, MOST);
	}
	assert_int_equal(times, 0);
	assert_null(intervals.root);
	free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_intervals_agree_with_a_search_through_all),
		cmocka_unit_test(test_few_nodes_are_visited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
