#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
	assert_int_equal(mpi_call_by_name("P"), MPI_CALL_NONE);
	assert_int_equal(mpi_call_by_name(NULL), MPI_CALL_NONE);
	assert_non_null(mpi_call_name(MPI_CALL_COUNT + 7));
}

static void test_what_is_controlled(void **state)
{
	static const unsigned controlled[] = {
		MPI_CALL_Init,       MPI_CALL_Finalize,           MPI_CALL_Recv,
		MPI_CALL_Isend,      MPI_CALL_Startall,           MPI_CALL_Mprobe,
		MPI_CALL_Waitsome,   MPI_CALL_Request_get_status, MPI_CALL_Ialltoallw,
		MPI_CALL_Comm_split, MPI_CALL_Intercomm_create,   MPI_CALL_Comm_spawn,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(controlled) / sizeof(controlled[0]); i++) {
		assert_int_equal(mpi_call_treatment(controlled[i]), MPI_CALL_CONTROLLED);
		assert_true(mpi_call_counts(controlled[i]));
	}
	assert_int_equal(mpi_call_treatment(MPI_CALL_File_write_all), MPI_CALL_BRACKETED);
	assert_int_equal(mpi_call_treatment(MPI_CALL_Buffer_flush), MPI_CALL_REFUSED);
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

static bool is_among(const char *name, size_t length, const char *names)
{
	for (const char *found = strstr(names, name); found; found = strstr(found + 1, name)) {
		bool begins = found == names || found[-1] == ' ';

		if (begins && (found[length] == ' ' || !found[length]))
			return true;
	}
	return false;
}

/* Just these calls have the property, and their variants with large counts. */
static void only(bool (*has)(unsigned call), const char *names)
{
	for (unsigned call = 1; call < MPI_CALL_COUNT; call++) {
		char name[64];
		size_t length;
		bool expected;

		snprintf(name, sizeof(name), "%s", mpi_call_name(call) + strlen("MPI_"));
		length = strlen(name);
		if (length > 2 && strcmp(name + length - 2, "_c") == 0)
			name[length -= 2] = 0;
		expected = is_among(name, length, names);
		if (has(call) != expected)
			fail_msg("%s: %s", mpi_call_name(call), expected ? "lacks it" : "has it");
	}
	assert_false(has(MPI_CALL_NONE));
	assert_false(has(MPI_CALL_COUNT));
}

static bool makes_window(unsigned call)
{
	return mpi_call_makes(call) == MPI_CALL_MAKES_WINDOW;
}

static bool takes_lock(unsigned call)
{
	return mpi_call_lock(call) == MPI_CALL_LOCK_TAKES;
}

static bool gives_lock_back(unsigned call)
{
	return mpi_call_lock(call) == MPI_CALL_LOCK_GIVES_BACK;
}

static bool completes_and_waits(unsigned call)
{
	return mpi_call_completes(call) != MPI_CALL_COMPLETES_NONE && !mpi_call_asks(call);
}

static void test_calls_with_a_property(void **state)
{
	(void)state;
	only(mpi_call_is_deferrable,
	     "Send Ssend Rsend Bsend Recv Mrecv Sendrecv Sendrecv_replace Probe Mprobe Iprobe "
	     "Improbe Wait Waitall Waitany Waitsome Test Testall Testany Testsome Cancel "
	     "Request_get_status Barrier Bcast Gather Gatherv Scatter Scatterv Allgather "
	     "Allgatherv Alltoall Alltoallv Alltoallw Reduce Allreduce Reduce_scatter "
	     "Reduce_scatter_block Scan Exscan");
	only(mpi_call_only_looks,
	     "Get Rget Get_accumulate Rget_accumulate Fetch_and_op Compare_and_swap Win_flush "
	     "Win_flush_all Win_flush_local Win_flush_local_all Win_sync");
	only(mpi_call_is_atomic,
	     "Accumulate Raccumulate Get_accumulate Rget_accumulate Fetch_and_op "
	     "Compare_and_swap");
	only(mpi_call_asks, "Test Testall Testany Testsome Iprobe Improbe Request_get_status "
	                    "Request_get_status_all Request_get_status_any Request_get_status_some "
	                    "Parrived Win_test");
	only(makes_window, "Win_create Win_create_dynamic Win_allocate Win_allocate_shared");
	only(takes_lock, "Win_lock Win_lock_all");
	only(gives_lock_back, "Win_unlock Win_unlock_all");
	only(mpi_call_waits_for_target, "Win_lock Win_lock_all Win_start");
	only(completes_and_waits, "Wait Waitall Waitany Waitsome");
	only(mpi_call_begins_mpi, "Init Init_thread Session_init");
	only(mpi_call_ends_mpi, "Finalize Session_finalize");
	only(mpi_call_is_whole, "Reduce_init");
	only(mpi_call_is_for_any_thread, "Is_thread_main Query_thread");
}

static void test_variants_of_a_collective(void **state)
{
	static const unsigned variants[] = {MPI_CALL_Scatterv, MPI_CALL_Iscatterv,
	                                    MPI_CALL_Scatterv_init, MPI_CALL_Scatterv_c};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		assert_int_equal(mpi_call_collective(variants[i]), MPI_CALL_COLLECTIVE_SCATTERV);
	assert_int_equal(mpi_call_collective(MPI_CALL_Comm_split), MPI_CALL_COLLECTIVE_CREATE);
	assert_int_equal(mpi_call_collective(MPI_CALL_Win_allocate), MPI_CALL_COLLECTIVE_ALLOCATE);
	assert_int_equal(mpi_call_collective(MPI_CALL_Comm_free), MPI_CALL_COLLECTIVE_DESTROY);
	/* Not all members of a communicator are in these together. */
	assert_int_equal(mpi_call_collective(MPI_CALL_Comm_create_group), MPI_CALL_COLLECTIVE_NONE);
	assert_int_equal(mpi_call_collective(MPI_CALL_Intercomm_create), MPI_CALL_COLLECTIVE_NONE);
	assert_true(mpi_call_is_neighborhood(MPI_CALL_Ineighbor_alltoallw));
	assert_false(mpi_call_is_neighborhood(MPI_CALL_Alltoallw));
}

static void test_requests(void **state)
{
	(void)state;
	assert_true(mpi_call_leaves_request(MPI_CALL_Isend));
	assert_true(mpi_call_leaves_request(MPI_CALL_Startall));
	assert_true(mpi_call_leaves_request(MPI_CALL_Comm_idup));
	assert_false(mpi_call_leaves_request(MPI_CALL_Iprobe));
	assert_false(mpi_call_leaves_request(MPI_CALL_Init));
	assert_false(mpi_call_leaves_request(MPI_CALL_Intercomm_create));
	assert_false(mpi_call_leaves_request(MPI_CALL_Is_thread_main));
	assert_true(mpi_call_is_persistent(MPI_CALL_Psend_init));
	assert_true(mpi_call_is_persistent(MPI_CALL_Barrier_init));
	assert_false(mpi_call_is_persistent(MPI_CALL_Session_init));
	for (unsigned call = 1; call < MPI_CALL_COUNT; call++)
		assert_false(mpi_call_leaves_request(call) && mpi_call_is_persistent(call));
	assert_int_equal(mpi_call_completes(MPI_CALL_Test), MPI_CALL_COMPLETES_ONE);
	assert_int_equal(mpi_call_completes(MPI_CALL_Waitsome), MPI_CALL_COMPLETES_SOME);
	assert_int_equal(mpi_call_completes(MPI_CALL_Request_free), MPI_CALL_COMPLETES_NONE);
	assert_int_equal(mpi_call_send_mode(MPI_CALL_Ibsend), MPI_CALL_SEND_MODE_BUFFERED);
	assert_int_equal(mpi_call_send_mode(MPI_CALL_Isendrecv), MPI_CALL_SEND_MODE_STANDARD);
	assert_int_equal(mpi_call_send_mode(MPI_CALL_Recv), MPI_CALL_SEND_MODE_NONE);
}

static void test_what_calls_are_about(void **state)
{
	(void)state;
	assert_int_equal(mpi_call_subject(MPI_CALL_Rput), MPI_CALL_SUBJECT_WINDOW);
	assert_int_equal(mpi_call_subject(MPI_CALL_Win_create), MPI_CALL_SUBJECT_WINDOW);
	assert_int_equal(mpi_call_subject(MPI_CALL_File_open), MPI_CALL_SUBJECT_FILE);
	assert_int_equal(mpi_call_subject(MPI_CALL_Mrecv), MPI_CALL_SUBJECT_REQUEST);
	assert_int_equal(mpi_call_subject(MPI_CALL_Cancel), MPI_CALL_SUBJECT_REQUEST);
	assert_int_equal(mpi_call_subject(MPI_CALL_Get_count), MPI_CALL_SUBJECT_NONE);
	assert_int_equal(mpi_call_subject(MPI_CALL_Isend), MPI_CALL_SUBJECT_NONE);
	assert_int_equal(mpi_call_makes(MPI_CALL_Comm_dup_with_info), MPI_CALL_MAKES_COMMUNICATOR);
	assert_int_equal(mpi_call_makes(MPI_CALL_Info_create), MPI_CALL_MAKES_INFO);
	assert_int_equal(mpi_call_makes(MPI_CALL_Info_free), MPI_CALL_MAKES_NONE);
	assert_int_equal(mpi_call_access(MPI_CALL_Rget_c), MPI_CALL_ACCESS_GET);
	assert_int_equal(mpi_call_access(MPI_CALL_Compare_and_swap), MPI_CALL_ACCESS_SWAP);
	assert_int_equal(mpi_call_sync(MPI_CALL_Win_flush_local_all), MPI_CALL_SYNC_FLUSH_LOCAL);
	assert_int_equal(mpi_call_sync(MPI_CALL_Win_fence), MPI_CALL_SYNC_NONE);
	assert_string_equal(mpi_call_agree_on(MPI_CALL_File_open), "file or mode");
	assert_null(mpi_call_agree_on(MPI_CALL_Bcast));
	assert_null(mpi_call_agree_on(MPI_CALL_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_go_there_and_back),
		cmocka_unit_test(test_what_is_controlled),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_calls_with_a_property),
		cmocka_unit_test(test_variants_of_a_collective),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_what_calls_are_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
