#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_calls.h"

static void test_names_go_there_and_back(void **state)
{
	(void)state;
	for (unsigned call = 1; call < MPI_CALL_COUNT; call++) {
		const char *name = mpi_call_name(call);

		assert_int_equal(strncmp(name, "MPI_", 4), 0);
		assert_int_equal(mpi_call_by_name(name), call);
	}
	assert_int_equal(mpi_call_by_name("PMPI_Recv"), MPI_CALL_Recv);
	assert_int_equal(mpi_call_by_name("MPI_Nothing"), MPI_CALL_NONE);
	assert_int_equal(mpi_call_by_name(""), MPI_CALL_NONE);
	assert_non_null(mpi_call_name(MPI_CALL_COUNT + 7));
}

static void test_what_is_controlled(void **state)
{
	static const unsigned controlled[] = {
		MPI_CALL_Init,       MPI_CALL_Finalize,           MPI_CALL_Recv,
		MPI_CALL_Isend,      MPI_CALL_Startall,           MPI_CALL_Mprobe,
		MPI_CALL_Waitsome,   MPI_CALL_Request_get_status, MPI_CALL_Ialltoallw,
		MPI_CALL_Comm_split, MPI_CALL_Intercomm_create,   MPI_CALL_Send_c,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(controlled) / sizeof(controlled[0]); i++) {
		assert_int_equal(mpi_call_treatment(controlled[i]), MPI_CALL_CONTROLLED);
		assert_true(mpi_call_counts(controlled[i]));
	}
	assert_int_equal(mpi_call_treatment(MPI_CALL_File_write_all), MPI_CALL_BRACKETED);
	assert_int_equal(mpi_call_treatment(MPI_CALL_Comm_spawn), MPI_CALL_REFUSED);
	assert_int_equal(mpi_call_treatment(MPI_CALL_Put), MPI_CALL_PASSED);
	assert_int_equal(mpi_call_treatment(MPI_CALL_Wtime), MPI_CALL_HARMLESS);
}

/* Calls that only ask or compute locally do not count in paths. */
static void test_what_counts(void **state)
{
	(void)state;
	assert_false(mpi_call_counts(MPI_CALL_Comm_rank));
	assert_false(mpi_call_counts(MPI_CALL_Wtime));
	assert_false(mpi_call_counts(MPI_CALL_Type_size));
	assert_false(mpi_call_counts(MPI_CALL_Initialized));
	assert_false(mpi_call_counts(MPI_CALL_Buffer_attach));
	assert_false(mpi_call_counts(MPI_CALL_NONE));
	for (unsigned call = 1; call < MPI_CALL_COUNT; call++) {
		if (mpi_call_treatment(call) == MPI_CALL_HARMLESS)
			assert_false(mpi_call_counts(call));
	}
}

static void test_orders(void **state)
{
	(void)state;
	assert_int_equal(mpi_call_order(MPI_CALL_Barrier), MPI_CALL_ORDER_ALL);
	assert_int_equal(mpi_call_order(MPI_CALL_Bcast), MPI_CALL_ORDER_ROOT_FIRST);
	assert_int_equal(mpi_call_order(MPI_CALL_Scatterv), MPI_CALL_ORDER_ROOT_FIRST);
	assert_int_equal(mpi_call_order(MPI_CALL_Gather), MPI_CALL_ORDER_ROOT_LAST);
	assert_int_equal(mpi_call_order(MPI_CALL_Ireduce), MPI_CALL_ORDER_ROOT_LAST);
	assert_int_equal(mpi_call_order(MPI_CALL_Exscan), MPI_CALL_ORDER_LOWER);
	assert_int_equal(mpi_call_order(MPI_CALL_Comm_dup), MPI_CALL_ORDER_ALL);
	assert_int_equal(mpi_call_order(MPI_CALL_Send), MPI_CALL_ORDER_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_go_there_and_back),
		cmocka_unit_test(test_what_is_controlled),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
