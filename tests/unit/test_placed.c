/* Memory at given addresses: parts of one page, overlapping ranges, places that are taken. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shim/record/placed.c"

#define PLACE ((char *)0x5a0000000000)

static bool is_mapped(const void *at)
{
	unsigned char page;

	return mincore((void *)((uintptr_t)at / PAGE * PAGE), PAGE, &page) == 0;
}

static void parts_of_a_page(void **state)
{
	char *first = PLACE + 100, *second = PLACE + 300;

	(void)state;
	assert_true(placed_map(first, 100));
	memset(first, 1, 100);
	second[5] = 7; /* the page is there, whatever it holds */
	assert_true(placed_map(second, 200));
	assert_int_equal(second[5], 0);
	assert_int_equal(first[99], 1);
	placed_free(first, 100);
	assert_true(is_mapped(PLACE));
	placed_free(second, 200);
	assert_false(is_mapped(PLACE));
}

static void overlapping_ranges(void **state)
{
	char *first = PLACE + PAGE + 50, *second = PLACE + 3 * PAGE - 10;

	(void)state;
	assert_true(placed_map(first, 2 * PAGE - 100)); /* pages 1 and 2 */
	assert_true(placed_map(second, 3 * PAGE));      /* pages 2 to 5 */
	assert_true(placed_map(PLACE + 20, 7 * PAGE));  /* pages 0 to 7 */
	for (int page = 0; page < 8; page++)
		assert_true(is_mapped(PLACE + page * PAGE));
	placed_free(first, 2 * PAGE - 100);
	placed_free(second, 3 * PAGE);
	for (int page = 0; page < 8; page++)
		PLACE[page * PAGE + 30] = 1;
	placed_free(PLACE + 20, 7 * PAGE);
	for (int page = 0; page < 8; page++)
		assert_false(is_mapped(PLACE + page * PAGE));
}

static void a_place_that_is_taken(void **state)
{
	void *taken = mmap(PLACE + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_equal(taken, PLACE + PAGE);
	assert_false(placed_map(PLACE + 10, 2 * PAGE));
	munmap(taken, PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_page),
		cmocka_unit_test(overlapping_ranges),
		cmocka_unit_test(a_place_that_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
