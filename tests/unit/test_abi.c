/* What the bits of handles show, compared with what mpi.h and the compiler say of their names. */
#include "shim/mpi/abi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <wchar.h>

#include <cmocka.h>

static void test_basic_types_have_their_sizes(void **state)
{
	(void)state;
	const struct {
		MPI_Datatype type;
		size_t size;
	} types[] = {
		{MPI_CHAR, 1},
		{MPI_BYTE, 1},
		{MPI_PACKED, 1},
		{MPI_WCHAR, sizeof(wchar_t)},
		{MPI_SHORT, sizeof(short)},
		{MPI_INT, sizeof(int)},
		{MPI_LONG, sizeof(long)},
		{MPI_UNSIGNED_LONG_LONG, sizeof(unsigned long long)},
		{MPI_FLOAT, sizeof(float)},
		{MPI_DOUBLE, sizeof(double)},
		{MPI_LONG_DOUBLE, sizeof(long double)},
		{MPI_C_BOOL, sizeof(_Bool)},
		{MPI_C_LONG_DOUBLE_COMPLEX, sizeof(long double _Complex)},
		{MPI_INT64_T, 8},
		{MPI_AINT, sizeof(MPI_Aint)},
		{MPI_OFFSET, sizeof(MPI_Offset)},
		{MPI_COUNT, sizeof(MPI_Count)},
		{MPI_2INT, 2 * sizeof(int)},
		{MPI_INTEGER, sizeof(MPI_Fint)},
		{MPI_DOUBLE_COMPLEX, 16},
		{MPI_COMPLEX32, 32},
#ifdef MPI_LB
		{MPI_LB, 0},
#endif
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		assert_true(abi_is_basic(types[i].type));
		assert_true(abi_is_predefined(types[i].type));
		assert_int_equal(ABI_BASIC_SIZE(types[i].type), types[i].size);
		assert_true(ABI_BASIC_INDEX(types[i].type) < ABI_BASIC_COUNT);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(ABI_BASIC_INDEX(types[i].type),
			                     ABI_BASIC_INDEX(types[j].type));
	}
}

static void test_other_types_are_not_basic(void **state)
{
	const MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_FLOAT_INT, MPI_DOUBLE_INT,
	                              MPI_LONG_DOUBLE_INT};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		assert_false(abi_is_basic(types[i]));
	assert_false(abi_is_basic(0));
	assert_false(abi_is_basic(-1));
}

static void test_handles_show_who_made_them(void **state)
{
	const int predefined[] = {
		MPI_COMM_WORLD, MPI_COMM_SELF, MPI_GROUP_EMPTY,      MPI_SUM,
		MPI_INT,        MPI_TAG_UB,    MPI_ERRORS_ARE_FATAL, MPI_WIN_BASE};
	const int null[] = {MPI_COMM_NULL,       MPI_OP_NULL,      MPI_GROUP_NULL,
	                    MPI_DATATYPE_NULL,   MPI_REQUEST_NULL, MPI_INFO_NULL,
	                    MPI_ERRHANDLER_NULL, MPI_WIN_NULL,     MPI_KEYVAL_INVALID};

	(void)state;
	for (size_t i = 0; i < sizeof(predefined) / sizeof(predefined[0]); i++) {
		assert_true(abi_is_predefined(predefined[i]));
		assert_false(abi_is_made(predefined[i]));
	}
	for (size_t i = 0; i < sizeof(null) / sizeof(null[0]); i++) {
		assert_false(abi_is_predefined(null[i]));
		assert_false(abi_is_made(null[i]));
	}
	assert_true(abi_is_made(MPI_FLOAT_INT)); /* it looks so */
}

static void test_own_requests_are_none_of_mpis(void **state)
{
	const uint32_t indices[] = {0, 1, 4711, ABI_OWN_REQUESTS_MOST};
	uint32_t index;

	(void)state;
	for (size_t i = 0; i < sizeof(indices) / sizeof(indices[0]); i++) {
		const MPI_Request own = abi_own_request(indices[i]);

		assert_true(abi_is_own_request(own, &index));
		assert_int_equal(index, indices[i]);
		assert_int_not_equal(own, MPI_REQUEST_NULL);
		assert_false(abi_may_be_request(own));
	}
	assert_false(abi_is_own_request(MPI_REQUEST_NULL, &index));
	assert_false(abi_is_own_request(0, &index));
	assert_false(abi_is_own_request(MPI_COMM_WORLD, &index));
}

static void test_only_requests_may_be_requests(void **state)
{
	const int others[] = {MPI_COMM_WORLD, MPI_INT, MPI_SUM, MPI_FLOAT_INT, 0, -1};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(abi_may_be_request(others[i]));
	assert_false(abi_may_be_request(MPI_REQUEST_NULL));   /* it stands for none */
	assert_true(abi_may_be_request(MPI_MESSAGE_NO_PROC)); /* of the same kind in MPICH */
}

static void test_a_status_has_its_count_and_whether_it_is_cancelled(void **state)
{
	MPI_Status status = {.count_lo = -1, .count_hi_and_cancelled = 3 << 1}, copy = {0};

	(void)state;
	assert_int_equal(abi_status_bytes(&status), INT64_C(0x3ffffffff));
	assert_false(abi_is_cancelled(&status));
	status.count_hi_and_cancelled |= 1;
	assert_int_equal(abi_status_bytes(&status), INT64_C(0x3ffffffff));
	assert_true(abi_is_cancelled(&status));
	for (int i = 0; i < ABI_STATUS_FIELDS; i++)
		*abi_status_field(&copy, i) = *abi_status_field(&status, i);
	assert_int_equal(abi_status_bytes(&copy), INT64_C(0x3ffffffff));
	assert_true(abi_is_cancelled(&copy));
}

static void test_a_code_contains_its_class(void **state)
{
	(void)state;
	assert_int_equal(abi_error_class(MPI_SUCCESS), MPI_SUCCESS);
	assert_int_equal(abi_error_class(MPI_ERR_IN_STATUS), MPI_ERR_IN_STATUS);
	assert_int_equal(abi_error_class(0x1234500 | MPI_ERR_IN_STATUS), MPI_ERR_IN_STATUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basic_types_have_their_sizes),
		cmocka_unit_test(test_other_types_are_not_basic),
		cmocka_unit_test(test_handles_show_who_made_them),
		cmocka_unit_test(test_own_requests_are_none_of_mpis),
		cmocka_unit_test(test_only_requests_may_be_requests),
		cmocka_unit_test(test_a_status_has_its_count_and_whether_it_is_cancelled),
		cmocka_unit_test(test_a_code_contains_its_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
