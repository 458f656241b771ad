/* Members of a collective have the same hash if they agree, whatever their part in it. They have
 * different ones, or none, if they do not agree, or if the hash cannot tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/mpi_codes.h"
#include "shim/calls/collective_hash.c"

enum { INT = 5, FLOAT = 9, PARTS = 2 };

/* A side with one amount for all of its partners. */
struct part {
	uint64_t bytes[PARTS];
	struct wire_types types[PARTS];
};

static struct wire_side side_of(struct part *part, enum wire_partners partners)
{
	return (struct wire_side){
		.partners = (uint8_t)partners,
		.part_count = 1,
		.bytes = part->bytes,
		.type_count = 1,
		.types = part->types,
	};
}

static struct wire_op op_of(struct part *part, int root)
{
	return (struct wire_op){.kind = WIRE_COLLECTIVE,
	                        .peer = root,
	                        .bytes = part->bytes[0],
	                        .types = part->types[0]};
}

static struct part ints(uint64_t count)
{
	return (struct part){{4 * count, 4 * count}, {{.basic = INT}, {.basic = INT}}};
}

static uint64_t bcast(struct part part, int root, bool is_root)
{
	struct wire_op op = op_of(&part, root);
	struct wire_side *side = is_root ? &op.sends : &op.receives;

	*side = side_of(&part, is_root ? WIRE_WITH_EACH : WIRE_WITH_LISTED);
	return collective_hash(MPI_CALL_Bcast, &op);
}

static void test_root_and_others_agree(void **state)
{
	(void)state;
	assert_int_not_equal(bcast(ints(3), 1, true), 0);
	assert_int_equal(bcast(ints(3), 1, true), bcast(ints(3), 1, false));
}

static void test_differences(void **state)
{
	struct part other = ints(3);
	uint64_t hash = bcast(ints(3), 1, false);

	(void)state;
	other.types[0].basic = FLOAT;
	assert_int_not_equal(bcast(other, 1, true), hash);
	assert_int_not_equal(bcast(ints(4), 1, true), hash);
	assert_int_not_equal(bcast(ints(3), 2, true), hash);
}

static uint64_t reduction(enum mpi_call function, uint64_t count, uint8_t op_code)
{
	struct part part = ints(count);
	struct wire_op op = op_of(&part, WIRE_NO_ROOT);

	op.same_data = true;
	op.reduction = op_code;
	return collective_hash(function, &op);
}

static void test_reductions(void **state)
{
	uint64_t hash = reduction(MPI_CALL_Allreduce, 3, 1);

	(void)state;
	assert_int_equal(reduction(MPI_CALL_Allreduce, 3, 1), hash);
	assert_int_not_equal(reduction(MPI_CALL_Allreduce, 3, 2), hash);
	assert_int_not_equal(reduction(MPI_CALL_Allreduce, 2, 1), hash);
	assert_int_not_equal(reduction(MPI_CALL_Scan, 3, 1), hash);
}

static void test_runs_of_types(void **state)
{
	struct wire_run runs[] = {{INT, 1}, {FLOAT, 1}}, others[] = {{INT, 1}, {FLOAT, 2}};
	struct part part = {{8, 8}, {{.run_count = 2, .runs = runs}, {0}}};
	struct part other = {{8, 8}, {{.run_count = 2, .runs = others}, {0}}};

	(void)state;
	assert_int_equal(bcast(part, 0, true), bcast(part, 0, false));
	assert_int_not_equal(bcast(part, 0, true), bcast(other, 0, false));
}

/* What it gives is not what it expects: equal hashes would not show that the others fit. */
static void test_unequal_sides(void **state)
{
	struct part given = ints(2), expected = ints(3);
	struct wire_op op = op_of(&given, WIRE_NO_ROOT);

	(void)state;
	op.sends = side_of(&given, WIRE_WITH_EACH);
	op.receives = side_of(&given, WIRE_WITH_EACH);
	assert_int_not_equal(collective_hash(MPI_CALL_Alltoall, &op), 0);
	op.receives = side_of(&expected, WIRE_WITH_EACH);
	assert_int_equal(collective_hash(MPI_CALL_Alltoall, &op), 0);
	op.receives = side_of(&given, WIRE_WITH_EACH);
	op.receives.part_count = PARTS;
	assert_int_equal(collective_hash(MPI_CALL_Allgather, &op), 0);
	op.receives = side_of(&given, WIRE_WITH_EACH);
	assert_int_equal(collective_hash(MPI_CALL_Alltoallv, &op), 0);
	assert_false(collective_is_uniform(MPI_CALL_Alltoallv));
	assert_true(collective_is_uniform(MPI_CALL_Alltoall));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root_and_others_agree),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_reductions),
		cmocka_unit_test(test_runs_of_types),
		cmocka_unit_test(test_unequal_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
