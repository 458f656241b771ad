#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/host/environment.h"

static const struct environment_settings settings = {
	.shim = "/lib/shim.so", .directory = "/run/mp", .world = 3};

static void assert_value(char **environment, const char *name, const char *expected)
{
	const char *value = g_environ_getenv(environment, name);

	if (g_strcmp0(value, expected))
		fail_msg("%s is %s, not %s", name, value ? value : "unset",
		         expected ? expected : "unset");
}

static void test_ranks_get_the_socket(void **state)
{
	g_auto(GStrv)
		environment = environment_for_ranks((char *[]){"HOME=/h", NULL}, &settings, NULL);

	(void)state;
	assert_value(environment, "HOME", "/h");
	assert_value(environment, ENVIRONMENT_SOCKET, "/run/mp/socket");
	assert_value(environment, ENVIRONMENT_DIRECTORY, "/run/mp");
	assert_value(environment, ENVIRONMENT_WORLD, "3");
	assert_value(environment, ENVIRONMENT_STDIN, NULL);
	assert_value(environment, "LD_PRELOAD", "/lib/shim.so");
	assert_value(environment, "UCX_TLS", "posix,self");
	assert_value(environment, "UCX_MODULES", "^*");
	assert_value(environment, "UCX_POSIX_DIR", "/proc/self/fd/200");
	assert_value(environment, "HWLOC_COMPONENTS", "-gl,-opencl,-pci,-linuxio,-x86");
}

static void test_conflicts_are_overridden_and_noted(void **state)
{
	char *base[] = {"UCX_TLS=tcp",
	                "UCX_LOG_LEVEL=error",
	                "UCX_POSIX_RX_MAX_BUFS=8",
	                "LD_PRELOAD=/lib/a.so",
	                "HWLOC_COMPONENTS=mine",
	                "GLIBC_TUNABLES=glibc.cpu.x=1",
	                "ASAN_OPTIONS=abort_on_error=0",
	                NULL};
	g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) environment = environment_for_ranks(base, &settings, notes);

	(void)state;
	assert_value(environment, "UCX_TLS", "posix,self");
	assert_value(environment, "UCX_POSIX_RX_MAX_BUFS", NULL);
	assert_value(environment, "LD_PRELOAD", "/lib/a.so:/lib/shim.so");
	assert_value(environment, "HWLOC_COMPONENTS", "mine");
	assert_value(environment, "GLIBC_TUNABLES", "glibc.cpu.x=1:glibc.malloc.hugetlb=1");
	assert_value(environment, "ASAN_OPTIONS",
	             "abort_on_error=1:abort_on_error=0:verify_asan_link_order=0");
	assert_value(environment, "UBSAN_OPTIONS", "abort_on_error=1");
	assert_int_equal(notes->len, 2);
	assert_non_null(strstr(g_ptr_array_index(notes, 0), "UCX_POSIX_RX_MAX_BUFS=8"));
	assert_non_null(strstr(g_ptr_array_index(notes, 1), "UCX_TLS=tcp"));
}

static void test_large_messages_are_read_where_ranks_may_read_each_other(void **state)
{
	struct environment_settings reading = settings;

	(void)state;
	reading.reads_peers = true;
	g_auto(GStrv) environment = environment_for_ranks(
		(char *[]){"UCX_RNDV_SCHEME=put_zcopy", NULL}, &reading, NULL);
	assert_value(environment, "UCX_TLS", "posix,cma,self");
	assert_value(environment, "UCX_MODULES", "cma");
	assert_value(environment, "UCX_RNDV_SCHEME", "get_zcopy");
}

/* A program with a function that is nowhere starts only if functions are bound when called. */
static void test_functions_are_bound_early_only_where_that_matters(void **state)
{
	struct environment_settings other = settings;

	(void)state;
	other.heap = true;
	g_auto(GStrv) lazy = environment_for_ranks((char *[]){NULL}, &other, NULL);
	assert_non_null(strstr(g_environ_getenv(lazy, "LD_PRELOAD"), "libmatchpoint-heap.so"));
	assert_value(lazy, "LD_BIND_NOW", NULL);
	assert_value(lazy, ENVIRONMENT_STEADY, NULL);
	other.steady = true;
	g_auto(GStrv) early = environment_for_ranks((char *[]){NULL}, &other, NULL);
	assert_value(early, "LD_BIND_NOW", "1");
	assert_value(early, ENVIRONMENT_STEADY, "1");
}

/* As in a rank of Hydra, in a task of srun, in a rank of Open MPI. */
static char *const nested[] = {"PMI_RANK=0",
                               "PMI_FD=7",
                               "PMI_SIZE=1",
                               "HYDI_CONTROL_FD=6",
                               "MPI_LOCALRANKID=0",
                               "MPI_LOCALNRANKS=1",
                               "SLURM_PROCID=0",
                               "SLURM_STEP_ID=3",
                               "SLURM_STEPID=3",
                               "SLURM_PMIX_MAPPING_SERV=x",
                               "PMIX_RANK=0",
                               "OMPI_COMM_WORLD_RANK=0",
                               NULL};
/* What the batch system tells a launcher. */
static char *const allocation[] = {"SLURM_JOB_ID=9", "SLURM_NODELIST=a,b", "HYDRA_HOST_FILE=/h",
                                   "PBS_NODEFILE=/n", NULL};
/* What users set for MPI and for their programs. */
static char *const users[] = {
	"MPIR_CVAR_ENABLE_GPU=0", "UCX_NET_DEVICES=lo", "MPICH_X=1",           "OMP_NUM_THREADS=2",
	"PBS_O_WORKDIR=/w",       "MY_PMI_RANK=1",      "LSB_HOSTS_OF_MINE=1", NULL};

static void assert_all(char **environment, char *const *entries, bool kept)
{
	for (char *const *entry = entries; *entry; entry++) {
		g_auto(GStrv) parts = g_strsplit(*entry, "=", 2);

		assert_value(environment, parts[0], kept ? parts[1] : NULL);
	}
}

static char **environment_inside(bool own_launcher)
{
	struct environment_settings inside = settings;
	g_autoptr(GPtrArray) base = g_ptr_array_new();

	inside.own_launcher = own_launcher;
	for (char *const *entry = nested; *entry; entry++)
		g_ptr_array_add(base, *entry);
	for (char *const *entry = allocation; *entry; entry++)
		g_ptr_array_add(base, *entry);
	for (char *const *entry = users; *entry; entry++)
		g_ptr_array_add(base, *entry);
	g_ptr_array_add(base, NULL);
	return environment_for_ranks((char **)base->pdata, &inside, NULL);
}

static void test_what_another_launcher_has_set_is_removed(void **state)
{
	g_auto(GStrv) environment = environment_inside(false);

	(void)state;
	assert_all(environment, nested, false);
	assert_all(environment, allocation, false);
	assert_all(environment, users, true);
}

static void test_a_named_launcher_sees_the_allocation(void **state)
{
	g_auto(GStrv) environment = environment_inside(true);

	(void)state;
	assert_all(environment, nested, false);
	assert_all(environment, allocation, true);
	assert_all(environment, users, true);
}

static void test_every_variable_is_explained_once(void **state)
{
	const struct environment_variable *all = environment_variables();

	(void)state;
	for (const struct environment_variable *variable = all; variable->name; variable++) {
		assert_true(variable->explanation && *variable->explanation);
		for (const struct environment_variable *other = all; other != variable; other++)
			assert_string_not_equal(other->name, variable->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks_get_the_socket),
		cmocka_unit_test(test_conflicts_are_overridden_and_noted),
		cmocka_unit_test(test_functions_are_bound_early_only_where_that_matters),
		cmocka_unit_test(test_large_messages_are_read_where_ranks_may_read_each_other),
		cmocka_unit_test(test_what_another_launcher_has_set_is_removed),
		cmocka_unit_test(test_a_named_launcher_sees_the_allocation),
		cmocka_unit_test(test_every_variable_is_explained_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
