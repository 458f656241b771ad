/* room: host */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/host/cluster_words.h"

static const char *const read_here[] = {"SLURM_JOB_ID", "SLURM_JOB_NUM_NODES", "HYDRA_HOST_FILE",
                                        "HYDRA_LAUNCHER", "HYDRA_LAUNCHER_EXEC"};

static int without_variables(void **state)
{
	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(read_here); i++)
		g_unsetenv(read_here[i]);
	return 0;
}

static void expect_kind(const char *launcher, enum cluster_kind kind)
{
	struct cluster_words words;

	assert_true(cluster_words_read(launcher, &words, NULL));
	assert_int_equal(words.kind, kind);
	cluster_words_clear(&words);
}

static void hosts_of_hydra_are_machines(void **state)
{
	(void)state;
	expect_kind(NULL, CLUSTER_NONE);
	expect_kind("mpiexec.mpich -n 4", CLUSTER_NONE);
	expect_kind("mpiexec -f hosts", CLUSTER_HYDRA);
	expect_kind("mpiexec.mpich -hosts a:2,b:2 -n 4", CLUSTER_HYDRA);
	expect_kind("/opt/bin/mpirun --machinefile m -n 4", CLUSTER_HYDRA);
	expect_kind("mpiexec.mpich -launcher fork -hosts a,b -n 4", CLUSTER_NONE);
	g_setenv("HYDRA_HOST_FILE", "hosts", true);
	expect_kind("mpiexec.mpich -n 4", CLUSTER_HYDRA);
	expect_kind(NULL, CLUSTER_NONE);
}

static void the_remote_shell_is_taken_over(void **state)
{
	struct cluster_words words;
	g_auto(GStrv) command = NULL;

	(void)state;
	assert_true(cluster_words_read(
		"mpiexec -launcher ssh -launcher-exec '/bin/my shell' -f h -n 2", &words, NULL));
	assert_string_equal(words.launcher, "'mpiexec' '-f' 'h' '-n' '2'");
	assert_string_equal(words.shell, "/bin/my shell");
	command = cluster_words_command(&words, "node1", "/opt/the tool", "__verb");
	assert_string_equal(command[0], "/bin/my shell");
	assert_string_equal(command[1], "-x");
	assert_string_equal(command[2], "node1");
	assert_string_equal(command[3], "'/opt/the tool' __verb");
	assert_null(command[4]);
	cluster_words_clear(&words);
}

static void ssh_asks_nothing_and_waits_not_for_ever(void **state)
{
	struct cluster_words words;
	g_auto(GStrv) command = NULL;
	g_autofree char *line = NULL;

	(void)state;
	assert_true(cluster_words_read("mpiexec -f hosts", &words, NULL));
	command = cluster_words_command(&words, "node1", "/m", "__verb");
	line = g_strjoinv(" ", command);
	assert_string_equal(line, "ssh -x -o BatchMode=yes -o ConnectTimeout=10 node1 '/m' __verb");
	cluster_words_clear(&words);
}

static void other_ways_of_hydra_are_refused(void **state)
{
	struct cluster_words words;
	g_autoptr(GError) error = NULL;

	(void)state;
	assert_false(cluster_words_read("mpiexec -launcher slurm -f hosts", &words, &error));
	assert_non_null(strstr(error->message, "-launcher slurm"));
	cluster_words_clear(&words);
}

static void srun_needs_an_allocation_of_several_nodes(void **state)
{
	(void)state;
	expect_kind("srun --mpi=pmi2 -n 4", CLUSTER_NONE);
	g_setenv("SLURM_JOB_ID", "7", true);
	g_setenv("SLURM_JOB_NUM_NODES", "1", true);
	expect_kind("srun --mpi=pmi2 -n 4", CLUSTER_NONE);
	g_setenv("SLURM_JOB_NUM_NODES", "2", true);
	expect_kind("srun --mpi=pmi2 -n 4", CLUSTER_SLURM);
	expect_kind("mpiexec.mpich -n 4", CLUSTER_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(hosts_of_hydra_are_machines, without_variables),
		cmocka_unit_test_setup(the_remote_shell_is_taken_over, without_variables),
		cmocka_unit_test_setup(ssh_asks_nothing_and_waits_not_for_ever, without_variables),
		cmocka_unit_test_setup(other_ways_of_hydra_are_refused, without_variables),
		cmocka_unit_test_setup(srun_needs_an_allocation_of_several_nodes,
	                               without_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
