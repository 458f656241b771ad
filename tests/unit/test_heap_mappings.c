/* Ranges are compared with a table of pages after random steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shim/state/heap_mappings.c"

enum { PAGES = 200, STEPS = 20000 };

static uint32_t random_number(uint32_t below)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static void forget(void)
{
	mapped.count = 0;
	mapped.lost = false;
}

static void check(const bool *is_mapped)
{
	struct memory_range ranges[RANGES];
	bool found[PAGES] = {false};
	int count = heap_mappings_ranges(ranges, RANGES);

	assert_in_range(count, 0, PAGES);
	for (int i = 0; i < count; i++) {
		assert_true(ranges[i].start < ranges[i].end);
		for (uintptr_t page = ranges[i].start / PAGE; page < ranges[i].end / PAGE; page++) {
			assert_false(found[page]); /* twice */
			found[page] = true;
		}
	}
	assert_memory_equal(found, is_mapped, sizeof(found));
}

static void ranges_are_what_was_mapped(void **state)
{
	bool is_mapped[PAGES] = {false};

	(void)state;
	forget();
	for (int step = 0; step < STEPS; step++) {
		uint32_t start = random_number(PAGES), count = random_number(12);
		bool maps = random_number(2);

		if (start + count > PAGES)
			count = PAGES - start;
		size_t size = (size_t)count * PAGE - (count > 0 ? random_number(PAGE) : 0);
		if (maps)
			heap_mappings_add((uintptr_t)start * PAGE, size);
		else
			heap_mappings_remove((uintptr_t)start * PAGE, size);
		for (uint32_t i = start; i < start + count; i++)
			is_mapped[i] = maps;
		check(is_mapped);
	}
}

static void neighbours_become_one(void **state)
{
	struct memory_range range;

	(void)state;
	forget();
	heap_mappings_add(10 * (uintptr_t)PAGE, PAGE);
	heap_mappings_add(11 * (uintptr_t)PAGE, PAGE);
	heap_mappings_add(9 * (uintptr_t)PAGE, PAGE);
	assert_int_equal(heap_mappings_ranges(&range, 1), 1);
	assert_int_equal(range.start, 9 * PAGE);
	assert_int_equal(range.end, 12 * PAGE);
}

static void too_many_are_told(void **state)
{
	struct memory_range ranges[RANGES];

	(void)state;
	forget();
	for (uintptr_t i = 0; i < RANGES; i++)
		heap_mappings_add(2 * i * PAGE, PAGE);
	assert_int_equal(heap_mappings_ranges(ranges, RANGES), RANGES);
	assert_int_equal(heap_mappings_ranges(ranges, RANGES - 1), -1);
	heap_mappings_add(2 * (uintptr_t)RANGES * PAGE, PAGE);
	assert_int_equal(heap_mappings_ranges(ranges, RANGES), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_what_was_mapped),
		cmocka_unit_test(neighbours_become_one),
		cmocka_unit_test(too_many_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
