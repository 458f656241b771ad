#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "scheduler/host/memory_pressure.h"

static void put(const char *root, const char *file, const char *text)
{
	g_autofree char *path = g_strdup_printf("%s%s", root, file);
	g_autofree char *directory = g_path_get_dirname(path);

	assert_int_equal(g_mkdir_with_parents(directory, 0700), 0);
	assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void remove_all(const char *path)
{
	g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		remove_all(below);
	}
	g_remove(path);
}

static int set_up(void **state)
{
	*state = g_dir_make_tmp("mp-XXXXXX", NULL);
	return 0;
}

static int tear_down(void **state)
{
	remove_all(*state);
	g_free(*state);
	return 0;
}

static void test_version_2(void **state)
{
	put(*state, "/proc/self/cgroup", "0::/user/job 7\n");
	put(*state, "/proc/vmstat", "pgfault 77\noom_kill 12\n");
	put(*state, "/sys/fs/cgroup/user/job 7/memory.events",
	    "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n");
	assert_int_equal(memory_pressure_of(*state).group, 5);
	assert_int_equal(memory_pressure_of(*state).machine, 12);
}

static void test_version_1(void **state)
{
	put(*state, "/proc/self/cgroup", "9:cpu:/\n4:memory:/a\n0::/\n");
	put(*state, "/sys/fs/cgroup/memory/a/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	assert_int_equal(memory_pressure_of(*state).group, 3);
	assert_int_equal(memory_pressure_of(*state).machine, 0);
}

static void test_in_a_container_its_group_is_the_root(void **state)
{
	put(*state, "/proc/self/cgroup", "0::/docker/0123\n");
	put(*state, "/sys/fs/cgroup/memory.events", "oom_kill 8\n");
	assert_int_equal(memory_pressure_of(*state).group, 8);
}

static void test_missing_files_count_as_nothing(void **state)
{
	assert_int_equal(memory_pressure_of(*state).group, 0);
	assert_int_equal(memory_pressure_of(*state).machine, 0);
}

static void test_more_of_either_is_more(void **state)
{
	const struct memory_pressure before = {3, 7};

	(void)state;
	assert_false(memory_pressure_grew(&before, &before));
	assert_true(memory_pressure_grew(&before, &(struct memory_pressure){4, 7}));
	assert_true(memory_pressure_grew(&before, &(struct memory_pressure){3, 8}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_more_of_either_is_more),
		cmocka_unit_test_setup_teardown(test_version_2, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_version_1, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_in_a_container_its_group_is_the_root, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_missing_files_count_as_nothing, set_up,
	                                        tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
