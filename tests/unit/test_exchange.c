#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/collectives.h"

enum {
	INT = TYPE_CODE(TYPE_INT, 4),
	FLOAT = TYPE_CODE(TYPE_FLOAT, 4),
	DOUBLE = TYPE_CODE(TYPE_DOUBLE, 8)
};

enum { GATHER = 1 }; /* any function */

/* Alltoallv and similar: numbers of ints sent to, or received from, each member. */
static struct wire_side each(uint64_t *bytes, uint32_t count, struct wire_types *type)
{
	return (struct wire_side){.partners = WIRE_WITH_EACH,
	                          .part_count = count,
	                          .bytes = bytes,
	                          .type_count = 1,
	                          .types = type};
}

static struct wire_side listed(int32_t *peers, uint32_t count, uint64_t *bytes,
                               struct wire_types *type)
{
	return (struct wire_side){.partners = WIRE_WITH_LISTED,
	                          .peer_count = count,
	                          .peers = peers,
	                          .part_count = 1,
	                          .bytes = bytes,
	                          .type_count = 1,
	                          .types = type};
}

static struct exchange *take(struct wire_side sends, struct wire_side receives, guint group)
{
	const struct wire_op op = {.kind = WIRE_COLLECTIVE, .sends = sends, .receives = receives};

	assert_true(exchange_is_sound(&op, group));
	return exchange_of(&op);
}

static void test_amounts_are_compared_in_pairs(void **state)
{
	struct wire_types ints = {.basic = INT};
	uint64_t up[] = {4, 8}, down[] = {4, 4};
	struct exchange *one = take(each(up, 2, &ints), each(down, 2, &ints), 2);
	struct exchange *other = take(each(down, 2, &ints), each(up, 2, &ints), 2);
	struct exchange_difference difference = exchange_compare(one, 0, other, 1);

	(void)state;
	assert_int_equal(difference.fault, EXCHANGE_AMOUNT);
	assert_true(difference.sent.bytes == 8 && difference.expected.bytes == 4);
	assert_int_equal(exchange_compare(other, 1, one, 0).fault, EXCHANGE_FITS);
	assert_int_equal(exchange_compare(one, 0, one, 0).fault, EXCHANGE_FITS);
	assert_int_equal(exchange_compare(NULL, 0, one, 0).fault, EXCHANGE_FITS);
	exchange_unref(one);
	exchange_unref(other);
}

static void test_types_are_compared(void **state)
{
	struct wire_types ints = {.basic = INT}, floats = {.basic = FLOAT},
			  bytes = {.basic = TYPE_CODE(TYPE_BYTE, 1)};
	uint64_t four[] = {4};
	struct exchange *one = take(each(four, 1, &ints), each(four, 1, &ints), 3);
	struct exchange *other = take(each(four, 1, &floats), each(four, 1, &bytes), 3);

	(void)state;
	assert_int_equal(exchange_compare(other, 1, one, 0).fault, EXCHANGE_TYPE);
	assert_int_equal(exchange_compare(one, 0, other, 1).fault, EXCHANGE_FITS);
	exchange_unref(one);
	exchange_unref(other);
}

/* One element is expected, and one is sent. */
static void test_types_may_differ_in_size(void **state)
{
	struct wire_types ints = {.basic = INT}, doubles = {.basic = DOUBLE};
	uint64_t four[] = {4}, eight[] = {8}, nothing[] = {0};
	struct exchange *one = take(each(eight, 1, &doubles), each(four, 1, &ints), 2);
	struct exchange *other = take(each(nothing, 1, &doubles), each(four, 1, &ints), 2);

	(void)state;
	assert_int_equal(exchange_compare(one, 0, other, 1).fault, EXCHANGE_TYPE);
	assert_int_equal(exchange_compare(other, 1, one, 0).fault, EXCHANGE_AMOUNT);
	exchange_unref(one);
	exchange_unref(other);
}

static void test_neighbours(void **state)
{
	struct wire_types ints = {.basic = INT};
	uint64_t four[] = {4}, eight[] = {8};
	int32_t none[] = {-1, -1}, right[] = {1, -1}, left[] = {0, 0};
	struct exchange *one = take(listed(right, 2, four, &ints), listed(none, 2, four, &ints), 2);
	struct exchange *twice = take(listed(none, 2, four, &ints), listed(left, 2, four, &ints),
	                              2);
	struct exchange *once = take(listed(none, 2, four, &ints), listed(left, 1, eight, &ints),
	                             2);

	(void)state;
	assert_int_equal(exchange_compare(one, 0, twice, 1).fault, EXCHANGE_NEIGHBOR);
	assert_int_equal(exchange_compare(one, 0, once, 1).fault, EXCHANGE_AMOUNT);
	assert_int_equal(exchange_compare(one, 0, one, 0).fault, EXCHANGE_FITS);
	exchange_unref(one);
	exchange_unref(twice);
	exchange_unref(once);
}

static void test_inconsistent_reports_are_refused(void **state)
{
	struct wire_types ints = {.basic = INT};
	uint64_t three[] = {4, 4, 4};
	const struct wire_op op = {.sends = each(three, 3, &ints),
	                           .receives = each(three, 2, &ints)};
	const struct wire_op none = {.kind = WIRE_COLLECTIVE};

	(void)state;
	assert_false(exchange_is_sound(&op, 3));
	assert_false(exchange_is_sound(&op, 2));
	assert_true(exchange_is_sound(&none, 2));
	assert_null(exchange_of(&none));
}

/* --- in a collective ------------------------------------------------------------------------- */

static const int ranks[] = {0, 1, 2};
static const struct collective_members members = {.ranks = ranks, .count = 3};

/* Rank 0 gathers an int from each rank; rank 1 sends two, and rank 2 a float. */
static guint64 arrive(struct collectives *collectives, int rank)
{
	struct wire_types ints = {.basic = INT}, floats = {.basic = FLOAT};
	uint64_t four[] = {4}, eight[] = {8};
	int32_t root[] = {0};
	struct wire_side nothing = {0};
	struct collective_call call = {
		.id = {rank, 1, 0}, .comm = WIRE_COMM_WORLD, .function = GATHER, .root = 0};

	call.exchange = take(listed(root, 1, rank == 1 ? eight : four, rank == 2 ? &floats : &ints),
	                     rank == 0 ? each(four, 1, &ints) : nothing, 3);
	return collectives_arrive(collectives, &call, &members);
}

static void test_order_of_arrival_makes_no_difference(void **state)
{
	static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(orders); i++) {
		struct collectives *collectives = collectives_new(), *copy;
		struct collective_mismatch mismatch;
		guint64 number = 0;

		for (int j = 0; j < 3; j++)
			number = arrive(collectives, orders[i][j]);
		copy = collectives_copy(collectives);
		collectives_free(collectives);
		assert_true(collectives_mismatch(copy, &mismatch));
		assert_int_equal(mismatch.first.id.rank, 0);
		assert_int_equal(mismatch.other.id.rank, 1);
		assert_true(mismatch.backwards);
		assert_int_equal(mismatch.data.fault, EXCHANGE_AMOUNT);
		assert_false(collectives_complete(copy, number));
		/* Members that only send need not wait; the member that gets wrong data does. */
		assert_true(collectives_may_leave(copy, number, 1, ORDER_NONE));
		assert_true(collectives_may_leave(copy, number, 2, ORDER_NONE));
		assert_false(collectives_may_leave(copy, number, 0, ORDER_ALL));
		collectives_free(copy);
	}
}

/* Ranks 0 and 1 are one group, 2 and 3 the other; each names a root. Returns whether they agree, in
 * any order of arrival, and whichever group was announced first. */
static bool agree_on_root(int zero, int one, int two, int three)
{
	static const int four[2][4] = {{0, 1, 2, 3}, {2, 3, 0, 1}};
	const int given[] = {zero, one, two, three};
	struct collective_mismatch mismatch, told;
	bool agreed[4];

	for (int way = 0; way < 4; way++) {
		const struct collective_members groups = {
			.ranks = four[way / 2], .count = 4, .first = 2};
		struct collectives *collectives = collectives_new();

		for (int i = 0; i < 4; i++) {
			int rank = way % 2 ? 3 - i : i;
			struct collective_call call = {.id = {rank, 1, 0},
			                               .comm = 77,
			                               .function = GATHER,
			                               .root = -1,
			                               .given_root = given[rank]};

			collectives_arrive(collectives, &call, &groups);
		}
		agreed[way] = !collectives_mismatch(collectives, &mismatch);
		assert_true(agreed[way] || mismatch.parts == PART_ROOT);
		if (way == 0)
			told = mismatch;
		assert_int_equal(agreed[way], agreed[0]);
		assert_true(agreed[way]
		            || (mismatch.first.id.rank == told.first.id.rank
		                && mismatch.other.id.rank == told.other.id.rank));
		collectives_free(collectives);
	}
	return agreed[0];
}

static void test_roots_of_intercommunicators(void **state)
{
	enum { NONE = WIRE_NO_ROOT, ITSELF = WIRE_ROOT_ITSELF, BESIDE = WIRE_ROOT_BESIDE };

	(void)state;
	assert_true(agree_on_root(NONE, NONE, NONE, NONE));
	assert_true(agree_on_root(ITSELF, BESIDE, 0, 0));
	assert_true(agree_on_root(BESIDE, ITSELF, 1, 1));
	assert_true(agree_on_root(1, 1, BESIDE, ITSELF));
	assert_false(agree_on_root(ITSELF, BESIDE, 0, 1));
	assert_false(agree_on_root(ITSELF, BESIDE, 1, 1));
	assert_false(agree_on_root(ITSELF, ITSELF, 0, 0));
	assert_false(agree_on_root(ITSELF, BESIDE, 0, BESIDE));
	assert_false(agree_on_root(ITSELF, BESIDE, ITSELF, BESIDE));
	assert_false(agree_on_root(BESIDE, BESIDE, 0, 0));
	assert_false(agree_on_root(BESIDE, BESIDE, BESIDE, BESIDE));
	assert_false(agree_on_root(0, 0, 0, 0));
	assert_false(agree_on_root(ITSELF, 0, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_amounts_are_compared_in_pairs),
		cmocka_unit_test(test_types_are_compared),
		cmocka_unit_test(test_types_may_differ_in_size),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_roots_of_intercommunicators),
		cmocka_unit_test(test_inconsistent_reports_are_refused),
		cmocka_unit_test(test_order_of_arrival_makes_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
