#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rma_fixture.h"
#include "scheduler/world/rma_range.h"

enum { RANKS = 3, WINDOW = 7, SIZE = 64, UNIT = 8 };

static void tell(struct rma_log *log, int rank, struct wire_access access)
{
	access.window = WINDOW;
	rma_fixture_tell(log, rank, 0, access);
}

/* Rank 0 gives 64 bytes in units of 8, rank 1 nothing, and rank 2 does not report how much. */
static struct rma_log *log_with_windows(void)
{
	struct rma_log *log = rma_log_new();

	for (int rank = 0; rank < RANKS; rank++) {
		struct wire_part part = {.length = rank == 0 ? SIZE : 0, .times = 1, .count = 1};

		tell(log, rank,
		     (struct wire_access){.kind = WIRE_ACCESS_WINDOW,
		                          .target = WIRE_ANY,
		                          .displacement = 0x1000,
		                          .unit = UNIT,
		                          .part_count = rank != 2,
		                          .parts = &part});
	}
	return log;
}

static void note(void *user, const struct rma_beyond *beyond)
{
	*(struct rma_beyond *)user = *beyond;
}

/* Whether rank 1's access is found; the number of its bytes. */
static bool is_found(int target, gint64 displacement, struct wire_part part, guint64 *ret_bytes)
{
	struct rma_beyond beyond = {.rank = -1};
	struct rma_log *log = log_with_windows();

	tell(log, 1,
	     (struct wire_access){.kind = WIRE_ACCESS_DATA,
	                          .target = target,
	                          .displacement = displacement,
	                          .part_count = 1,
	                          .parts = &part});
	rma_find_beyond(log, RANKS, note, &beyond);
	rma_log_free(log);
	*ret_bytes = beyond.bytes;
	if (beyond.rank < 0)
		return false;
	assert_int_equal(beyond.rank, 1);
	assert_int_equal(beyond.target, target);
	return true;
}

static bool is_beyond(int target, gint64 displacement, struct wire_part part)
{
	guint64 bytes;

	return is_found(target, displacement, part, &bytes);
}

static void test_the_last_byte_is_inside(void **state)
{
	struct wire_part eight = {.length = 8, .times = 1, .count = 1};

	(void)state;
	assert_false(is_beyond(0, 0, eight));
	assert_false(is_beyond(0, 7, eight));
	assert_true(is_beyond(0, 8, eight));
	assert_true(is_beyond(0, -1, eight));
	eight.start = 1;
	assert_true(is_beyond(0, 7, eight));
	assert_false(is_beyond(
		0, -1, (struct wire_part){.start = 8, .length = 8, .times = 1, .count = 1}));
}

static void test_strides_lead_out(void **state)
{
	struct wire_part part = {.length = 4, .times = 4, .count = 2, .stride = 8, .extent = 32};
	guint64 bytes;

	(void)state;
	assert_false(is_beyond(0, 0, part));
	assert_false(is_beyond(0, 0,
	                       (struct wire_part){.start = 4,
	                                          .length = 4,
	                                          .times = 4,
	                                          .count = 2,
	                                          .stride = 8,
	                                          .extent = 32}));
	part.count = 3;
	assert_true(is_found(0, 0, part, &bytes));
	assert_int_equal(bytes, 48);
	part = (struct wire_part){.start = 56, .length = 8, .times = 8, .count = 1, .stride = -8};
	assert_false(is_beyond(0, 0, part));
	part.times = 9;
	assert_true(is_beyond(0, 0, part));
}

static void test_empty_and_unknown_windows(void **state)
{
	struct wire_part one = {.length = 1, .times = 1, .count = 1};
	struct wire_part none = {.length = 1, .times = 0, .count = 1};
	struct wire_part own = {
		.role = WIRE_PART_READ, .start = 1 << 20, .length = 1, .times = 1, .count = 1};

	(void)state;
	assert_true(is_beyond(1, 0, one));
	assert_false(is_beyond(1, 0, none));
	assert_false(is_beyond(1, 0, own));
	assert_false(is_beyond(2, 1000, one));
	assert_false(is_beyond(-2, 1000, one));
}

static void test_numbers_that_are_too_large(void **state)
{
	struct wire_part one = {.length = 1, .times = 1, .count = 1};
	struct wire_part many = {.length = 1, .times = UINT64_MAX, .count = 1, .stride = 1};
	struct wire_part far = {.length = 1, .times = 3, .count = 1, .stride = INT64_MAX};

	(void)state;
	assert_true(is_beyond(0, INT64_MAX, one));
	assert_true(is_beyond(0, INT64_MIN, one));
	assert_true(
		is_beyond(0, INT64_MAX / UNIT,
	                  (struct wire_part){.start = UNIT, .length = 1, .times = 1, .count = 1}));
	assert_true(is_beyond(0, 0, many));
	assert_true(is_beyond(0, 0, far));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_last_byte_is_inside),
		cmocka_unit_test(test_strides_lead_out),
		cmocka_unit_test(test_empty_and_unknown_windows),
		cmocka_unit_test(test_numbers_that_are_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
