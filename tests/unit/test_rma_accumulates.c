#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/rma_accumulates.h"

enum { READ = WIRE_ACCESS_READS, WRITE = WIRE_ACCESS_WRITES };
enum { INT = TYPE_CODE(TYPE_INT, 4), FLOAT = TYPE_CODE(TYPE_FLOAT, 4) };

/* At address 0 of a window with these flags. */
struct call {
	int rank;
	guint8 flags, reduction;
	guint16 basic;
};

static bool may_meet(guint8 window, struct call older, struct call newer)
{
	const struct rma_place place = {.unit = 1, .flags = window};
	const struct wire_access calls[] = {
		{.flags = older.flags | WIRE_ACCESS_ATOMIC,
	         .reduction = older.reduction,
	         .basic = older.basic},
		{.flags = newer.flags | WIRE_ACCESS_ATOMIC,
	         .reduction = newer.reduction,
	         .basic = newer.basic},
	};
	const struct rma_accumulate first = {&calls[0], older.rank, 0};
	const struct rma_accumulate second = {&calls[1], newer.rank, 0};

	return rma_may_meet(&place, &first, &second);
}

static void test_two_ranks_need_one_operation_and_type(void **state)
{
	const struct call sum = {0, WRITE, OP_SUM, INT};

	(void)state;
	assert_true(may_meet(0, sum, (struct call){1, WRITE, OP_SUM, INT}));
	assert_false(may_meet(0, sum, (struct call){1, WRITE, OP_MAX, INT}));
	assert_false(may_meet(0, sum, (struct call){1, WRITE, OP_SUM, FLOAT}));
	assert_true(may_meet(0, sum, (struct call){1, READ, OP_NO_OP, INT}));
	assert_false(may_meet(WIRE_WINDOW_SAME_OP, sum, (struct call){1, READ, OP_NO_OP, INT}));
}

/* A window can have accumulates of one rank out of order. They are then compared like those of two
 * ranks. */
static void test_one_rank_is_in_order_unless_the_window_says_otherwise(void **state)
{
	static const struct {
		guint8 flag, older, newer;
	} orders[] = {
		{WIRE_WINDOW_NO_RAW, WRITE, READ},
		{WIRE_WINDOW_NO_WAR, READ, WRITE},
		{WIRE_WINDOW_NO_WAW, WRITE, WRITE},
	};

	(void)state;
	for (guint given = 0; given < G_N_ELEMENTS(orders); given++) {
		for (guint i = 0; i < G_N_ELEMENTS(orders); i++) {
			struct call older = {0, orders[i].older, OP_SUM, INT};
			struct call newer = {0, orders[i].newer, OP_MAX, INT};

			assert_int_equal(
				may_meet(orders[given].flag | WIRE_WINDOW_SAME_OP, older, newer),
				i != given);
			newer.reduction = OP_SUM;
			assert_true(may_meet(orders[given].flag, older, newer));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_ranks_need_one_operation_and_type),
		cmocka_unit_test(test_one_rank_is_in_order_unless_the_window_says_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
