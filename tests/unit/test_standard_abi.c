/* room: tools. What handles of MPI's standard ABI show, compared with its values
 * (tests/abi/values.txt) and with what the compiler says of the names. */
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
		{MPI_AINT, sizeof(MPI_Aint)},
		{MPI_COUNT, sizeof(MPI_Count)},
		{MPI_OFFSET, sizeof(MPI_Offset)},
		{MPI_PACKED, 1},
		{MPI_SHORT, sizeof(short)},
		{MPI_INT, sizeof(int)},
		{MPI_LONG, sizeof(long)},
		{MPI_LONG_LONG, sizeof(long long)},
		{MPI_UNSIGNED_SHORT, sizeof(unsigned short)},
		{MPI_UNSIGNED, sizeof(unsigned)},
		{MPI_UNSIGNED_LONG, sizeof(unsigned long)},
		{MPI_UNSIGNED_LONG_LONG, sizeof(unsigned long long)},
		{MPI_FLOAT, sizeof(float)},
		{MPI_C_FLOAT_COMPLEX, sizeof(float _Complex)},
		{MPI_CXX_FLOAT_COMPLEX, sizeof(float _Complex)},
		{MPI_DOUBLE, sizeof(double)},
		{MPI_C_DOUBLE_COMPLEX, sizeof(double _Complex)},
		{MPI_CXX_DOUBLE_COMPLEX, sizeof(double _Complex)},
		{MPI_LOGICAL, sizeof(MPI_Fint)},
		{MPI_INTEGER, sizeof(MPI_Fint)},
		{MPI_REAL, sizeof(float)},
		{MPI_COMPLEX, sizeof(float _Complex)},
		{MPI_DOUBLE_PRECISION, sizeof(double)},
		{MPI_DOUBLE_COMPLEX, sizeof(double _Complex)},
		{MPI_LONG_DOUBLE, sizeof(long double)},
		{MPI_C_LONG_DOUBLE_COMPLEX, sizeof(long double _Complex)},
		{MPI_CXX_LONG_DOUBLE_COMPLEX, sizeof(long double _Complex)},
		{MPI_2INT, 2 * sizeof(int)},
		{MPI_2REAL, 2 * sizeof(float)},
		{MPI_2DOUBLE_PRECISION, 2 * sizeof(double)},
		{MPI_2INTEGER, 2 * sizeof(MPI_Fint)},
		{MPI_C_BOOL, sizeof(_Bool)},
		{MPI_CXX_BOOL, sizeof(_Bool)},
		{MPI_WCHAR, sizeof(wchar_t)},
		{MPI_INT8_T, 1},
		{MPI_CHAR, 1},
		{MPI_BYTE, 1},
		{MPI_CHARACTER, 1},
		{MPI_UINT16_T, 2},
		{MPI_INTEGER2, 2},
		{MPI_INT32_T, 4},
		{MPI_REAL4, 4},
		{MPI_UINT64_T, 8},
		{MPI_COMPLEX8, 8},
		{MPI_REAL16, 16},
		{MPI_COMPLEX32, 32},
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
	static int object;
	const MPI_Datatype types[] = {MPI_DATATYPE_NULL,     MPI_FLOAT_INT,   MPI_DOUBLE_INT,
	                              MPI_LONG_INT,          MPI_SHORT_INT,   MPI_LONG_DOUBLE_INT,
	                              (MPI_Datatype)&object, (MPI_Datatype)0, (MPI_Datatype)0x204,
	                              (MPI_Datatype)0x300};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		assert_false(abi_is_basic(types[i]));
}

static void test_handles_show_who_made_them(void **state)
{
	static int object;
	void *const predefined[] = {
		MPI_COMM_WORLD, MPI_COMM_SELF, MPI_GROUP_EMPTY,      MPI_SUM,
		MPI_INT,        MPI_FLOAT_INT, MPI_ERRORS_ARE_FATAL, MPI_INFO_ENV};
	void *const null[] = {MPI_COMM_NULL,     MPI_OP_NULL,      MPI_GROUP_NULL,
	                      MPI_DATATYPE_NULL, MPI_WIN_NULL,     MPI_FILE_NULL,
	                      MPI_REQUEST_NULL,  MPI_INFO_NULL,    MPI_ERRHANDLER_NULL,
	                      MPI_SESSION_NULL,  MPI_MESSAGE_NULL, NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(predefined) / sizeof(predefined[0]); i++) {
		assert_true(abi_is_predefined(predefined[i]));
		assert_false(abi_is_made(predefined[i]));
	}
	for (size_t i = 0; i < sizeof(null) / sizeof(null[0]); i++) {
		assert_false(abi_is_predefined(null[i]));
		assert_false(abi_is_made(null[i]));
	}
	assert_true(abi_is_made(&object));
	assert_false(abi_is_predefined(&object));
}

static void test_own_requests_are_none_of_mpis(void **state)
{
	static int object;
	const uint32_t indices[] = {0, 1, 4711, ABI_OWN_REQUESTS_MOST};
	uint32_t index;

	(void)state;
	for (size_t i = 0; i < sizeof(indices) / sizeof(indices[0]); i++) {
		const MPI_Request own = abi_own_request(indices[i]);

		assert_true(abi_is_own_request(own, &index));
		assert_int_equal(index, indices[i]);
		assert_false(abi_may_be_request(own));
	}
	assert_false(abi_is_own_request(MPI_REQUEST_NULL, &index));
	assert_false(abi_is_own_request((MPI_Request)&object, &index));
	assert_true(abi_may_be_request((MPI_Request)&object));
	assert_false(abi_may_be_request(MPI_REQUEST_NULL));
	assert_false(abi_may_be_request((MPI_Request)MPI_COMM_WORLD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basic_types_have_their_sizes),
		cmocka_unit_test(test_other_types_are_not_basic),
		cmocka_unit_test(test_handles_show_who_made_them),
		cmocka_unit_test(test_own_requests_are_none_of_mpis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
