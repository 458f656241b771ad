/* room: host */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/host/launcher.h"

static void expect(const char *custom, const char *expected)
{
	char *program[] = {"./a", "x", ":", "-n", "3", "./b", NULL};
	const struct launcher_job job = {.custom = custom, .ranks = 5, .program = program};
	g_auto(GStrv) words = launcher_command(&job, NULL);
	g_autofree char *line = words ? g_strjoinv(" ", words) : NULL;
	g_autofree char *all = expected ? g_strconcat(expected, " ./a x : -n 3 ./b", NULL) : NULL;

	assert_int_equal(line == NULL, all == NULL);
	if (line)
		assert_string_equal(line, all);
}

static void test_known_launchers_are_told_the_number(void **state)
{
	(void)state;
	expect("mpiexec.mpich -f hosts", "mpiexec.mpich -f hosts -n 2");
	expect("/usr/bin/mpirun", "/usr/bin/mpirun -n 2");
	expect("srun --mpi=pmi2", "srun --mpi=pmi2 -n 2");
}

static void test_a_number_is_not_changed(void **state)
{
	(void)state;
	expect("mpiexec.mpich -n 7 -f hosts", "mpiexec.mpich -n 7 -f hosts");
	expect("mpiexec.mpich -np 7", "mpiexec.mpich -np 7");
	expect("srun -n7", "srun -n7");
	expect("srun --ntasks=7", "srun --ntasks=7");
}

static void test_other_launchers_keep_their_words(void **state)
{
	(void)state;
	expect("./start 'two words'", "./start two words");
	expect("'open", NULL);
}

static void test_the_size_of_the_universe_is_read(void **state)
{
	(void)state;
	assert_int_equal(launcher_universe(NULL), -1);
	assert_int_equal(launcher_universe("mpiexec.mpich -n 2"), -1);
	assert_int_equal(launcher_universe("mpiexec.mpich -usize 8 -n 2"), 8);
	assert_int_equal(launcher_universe("mpiexec.mpich -usize INFINITE -n 2"), -1);
	assert_int_equal(launcher_universe("mpiexec.mpich -usize"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_launchers_are_told_the_number),
		cmocka_unit_test(test_a_number_is_not_changed),
		cmocka_unit_test(test_other_launchers_keep_their_words),
		cmocka_unit_test(test_the_size_of_the_universe_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
