/* room: host. The table of MPI libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/host/mpi_runtime.h"

static void test_libraries_find_their_rows(void **state)
{
	(void)state;
	for (int i = 0; mpi_runtimes()[i]; i++) {
		const struct mpi_runtime *runtime = mpi_runtimes()[i];

		assert_non_null(runtime->libraries[0]);
		for (const char *const *library = runtime->libraries; *library; library++) {
			assert_ptr_equal(mpi_runtime_find(*library), runtime);
			assert_true(mpi_runtime_is_library(*library));
			assert_true(mpi_runtime_is_part(*library));
			assert_null(mpi_runtime_stranger(*library));
		}
		for (const char *const *binding = runtime->bindings; *binding; binding++)
			assert_true(mpi_runtime_is_part(*binding));
		assert_true(mpi_runtime_is_launcher(runtime->launcher));
	}
	assert_ptr_equal(mpi_runtime_find("libmpich.so.12"), mpi_runtime_usual());
	assert_string_equal(mpi_runtime_usual()->name, "MPICH");
}

static void test_other_mpis_have_no_row(void **state)
{
	static const char *const open_mpi[] = {"libmpi.so.40", "libmpi.so.20", "libopen-rte.so.40",
	                                       "libopen-pal.so.40"};

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(open_mpi); i++) {
		assert_null(mpi_runtime_find(open_mpi[i]));
		assert_string_equal(mpi_runtime_stranger(open_mpi[i]), "Open MPI");
		assert_true(mpi_runtime_is_library(open_mpi[i]));
	}
	/* Of a version that nobody has seen. */
	assert_null(mpi_runtime_find("libmpi.so.77"));
	assert_null(mpi_runtime_stranger("libmpi.so.77"));
	assert_true(mpi_runtime_is_library("libmpi.so.77"));
}

static void test_bindings_are_parts_and_no_libraries(void **state)
{
	static const char *const bindings[] = {"libmpichfort.so.12", "libmpifort.so.12",
	                                       "libmpicxx.so.12", "libmpi_mpifh.so.40"};
	static const char *const others[] = {"libc.so.6", "libm.so.6", "libmpiexample.so", ""};

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(bindings); i++) {
		assert_true(mpi_runtime_is_part(bindings[i]));
		assert_false(mpi_runtime_is_library(bindings[i]));
		assert_null(mpi_runtime_find(bindings[i]));
	}
	for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
		assert_false(mpi_runtime_is_part(others[i]));
		assert_false(mpi_runtime_is_library(others[i]));
	}
}

static void test_names_are_listed(void **state)
{
	g_autofree char *all = mpi_runtime_libraries(" and ");

	(void)state;
	assert_string_equal(all, "libmpich.so.12 and libmpi.so.12");
}

static void test_launchers_are_known(void **state)
{
	static const char *const names[] = {"mpiexec",      "mpirun",        "mpiexec.mpich",
	                                    "mpirun.mpich", "mpiexec.hydra", "srun"};
	const struct mpi_launch_variables *told = mpi_launch_variables();

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		assert_true(mpi_runtime_is_launcher(names[i]));
	assert_false(mpi_runtime_is_launcher("solver"));
	assert_string_equal(told->rank, mpi_runtime_usual()->rank_variable);
}

static guint count_of(const struct environment_variable *table, const char *name)
{
	guint count = 0;

	for (; table->name; table++)
		count += g_str_equal(table->name, name);
	return count;
}

/* What is set or removed for one library stands in its row, and there once. */
static void test_variables_of_a_row(void **state)
{
	(void)state;
	for (int i = 0; mpi_runtimes()[i]; i++) {
		const struct mpi_runtime *runtime = mpi_runtimes()[i];
		const struct environment_variable *row = runtime->variables;

		assert_int_equal(count_of(row, runtime->rank_variable), 1);
		for (; row->name; row++) {
			assert_true(row->role == ENVIRONMENT_LAUNCH
			            || row->role == ENVIRONMENT_BATCH
			            || row->role == ENVIRONMENT_FORCED
			            || row->role == ENVIRONMENT_DEFAULT);
			assert_true((row->value != NULL)
			            == (row->role == ENVIRONMENT_FORCED
			                || row->role == ENVIRONMENT_DEFAULT));
			assert_int_equal(count_of(environment_variables(), row->name), 1);
		}
		for (row = runtime->without_peers; row->name; row++) {
			assert_int_equal(row->role, ENVIRONMENT_FORCED);
			assert_int_equal(count_of(runtime->variables, row->name), 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries_find_their_rows),
		cmocka_unit_test(test_other_mpis_have_no_row),
		cmocka_unit_test(test_bindings_are_parts_and_no_libraries),
		cmocka_unit_test(test_names_are_listed),
		cmocka_unit_test(test_launchers_are_known),
		cmocka_unit_test(test_variables_of_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
