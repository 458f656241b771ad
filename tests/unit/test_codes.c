/* The codes of predefined types and operations: each name has its own, and finds back to itself.
 * tests/e2e/check_type_codes.py compares them with what MPI says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Parts of the preloaded shim, compiled in here alone. */
#include "shim/types/codes.c"

#define TYPE_ROW(name) {MPI_##name, TYPE_##name, "MPI_" #name},
static const struct {
	MPI_Datatype type;
	enum type_number number;
	const char *name;
} all_types[] = {TYPE_NAMES(TYPE_ROW)};

#define OP_ROW(name) {MPI_##name, OP_##name, "MPI_" #name},
static const struct {
	MPI_Op op;
	enum op_code code;
	const char *name;
} all_ops[] = {OP_NAMES(OP_ROW)};

enum { TYPE_ROWS = sizeof(all_types) / sizeof(all_types[0]) };
enum { OP_ROWS = sizeof(all_ops) / sizeof(all_ops[0]) };

static void test_each_type_has_its_code(void **state)
{
	int there = 0;

	(void)state;
	for (int i = 0; i < TYPE_ROWS; i++) {
		const uint16_t code = codes_of_type(all_types[i].type);

		if (all_types[i].type == MPI_DATATYPE_NULL)
			continue;
		there++;
		assert_int_equal(type_code_number(code), all_types[i].number);
		assert_int_equal(type_code_size(code), ABI_BASIC_SIZE(all_types[i].type));
		assert_true(type_code_size(code) > 0);
		assert_string_equal(type_code_name(code), all_types[i].name);
	}
	assert_true(there >= 40);
}

static void test_types_have_the_compilers_sizes(void **state)
{
	(void)state;
	assert_int_equal(codes_of_type(MPI_CHAR), TYPE_CODE(TYPE_CHAR, 1));
	assert_int_equal(codes_of_type(MPI_INT), TYPE_CODE(TYPE_INT, sizeof(int)));
	assert_int_equal(codes_of_type(MPI_LONG), TYPE_CODE(TYPE_LONG, sizeof(long)));
	assert_int_equal(codes_of_type(MPI_LONG_LONG_INT),
	                 TYPE_CODE(TYPE_LONG_LONG, sizeof(long long)));
	assert_int_equal(codes_of_type(MPI_LONG_DOUBLE),
	                 TYPE_CODE(TYPE_LONG_DOUBLE, sizeof(long double)));
	assert_int_equal(codes_of_type(MPI_C_COMPLEX),
	                 TYPE_CODE(TYPE_C_FLOAT_COMPLEX, sizeof(float _Complex)));
}

static void test_pairs_of_one_type_are_two_of_it(void **state)
{
	(void)state;
	assert_int_equal(codes_of_type(MPI_2INT), codes_of_type(MPI_INT));
	assert_int_equal(codes_of_type(MPI_2INTEGER), codes_of_type(MPI_INTEGER));
	assert_int_equal(codes_of_type(MPI_2REAL), codes_of_type(MPI_REAL));
	assert_int_equal(codes_of_type(MPI_2DOUBLE_PRECISION), codes_of_type(MPI_DOUBLE_PRECISION));
}

static void test_what_is_not_compared_has_none(void **state)
{
	(void)state;
	assert_int_equal(codes_of_type(MPI_PACKED), 0);
#ifdef MPI_LB
	assert_int_equal(codes_of_type(MPI_LB), 0);
	assert_int_equal(codes_of_type(MPI_UB), 0);
#endif
}

/* A basic type with a number that mpi.h has no name for, and with a size. */
static void test_a_type_without_a_name_keeps_its_size(void **state)
{
	const MPI_Datatype other = (MPI_Datatype)(((uint32_t)MPI_BYTE & 0xffff0000u) | 0x06fe);

	(void)state;
	assert_true(abi_is_basic(other));
	assert_int_equal(codes_of_type(other), TYPE_CODE(TYPE_OTHER, 6));
	assert_null(type_code_name(codes_of_type(other)));
}

static void test_each_operation_has_its_code(void **state)
{
	(void)state;
	for (int i = 0; i < OP_ROWS; i++) {
		assert_int_equal(codes_of_op(all_ops[i].op), all_ops[i].code);
		assert_string_equal(op_code_name(codes_of_op(all_ops[i].op)), all_ops[i].name);
	}
	assert_int_equal(codes_of_op((MPI_Op)(MPI_SUM + 100)), OP_OTHER);
	assert_null(op_code_name(OP_OTHER));
}

static void test_an_operation_of_the_program_is_its_own(void **state)
{
	(void)state;
	assert_int_equal(codes_of_op((MPI_Op)((uint32_t)MPI_SUM | 1u << 31)), OP_OWN);
	assert_int_equal(codes_of_op(MPI_OP_NULL), OP_OWN);
	assert_null(op_code_name(OP_OWN));
}

/* A rank may send anything. */
static void test_any_number_may_be_asked_for_its_name(void **state)
{
	(void)state;
	for (unsigned code = 0; code <= UINT16_MAX; code++) {
		const char *name = type_code_name((uint16_t)code);

		assert_true(!name || strncmp(name, "MPI_", 4) == 0);
	}
	for (unsigned code = 0; code <= UINT8_MAX; code++) {
		const char *name = op_code_name((uint8_t)code);

		assert_true((code >= OP_MAX && code <= OP_NO_OP) == (name != NULL));
	}
	assert_null(type_code_name(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_type_has_its_code),
		cmocka_unit_test(test_types_have_the_compilers_sizes),
		cmocka_unit_test(test_pairs_of_one_type_are_two_of_it),
		cmocka_unit_test(test_what_is_not_compared_has_none),
		cmocka_unit_test(test_a_type_without_a_name_keeps_its_size),
		cmocka_unit_test(test_each_operation_has_its_code),
		cmocka_unit_test(test_an_operation_of_the_program_is_its_own),
		cmocka_unit_test(test_any_number_may_be_asked_for_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
