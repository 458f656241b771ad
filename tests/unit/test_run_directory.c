#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "scheduler/host/environment.h"
#include "scheduler/host/run_directory.h"

static int set_up(void **state)
{
	*state = g_dir_make_tmp("mp-XXXXXX", NULL);
	g_setenv(ENVIRONMENT_RUNDIR, *state, true);
	return 0;
}

static int tear_down(void **state)
{
	g_unsetenv(ENVIRONMENT_RUNDIR);
	assert_int_equal(g_rmdir(*state), 0); /* nothing is left behind */
	g_free(*state);
	return 0;
}

static void touch(const char *directory, const char *name)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);

	assert_true(g_file_set_contents(path, "x", 1, NULL));
}

static void test_worlds_come_and_go(void **state)
{
	struct run_directory *directory = run_directory_new(4, NULL, NULL);
	struct stat status;
	char *world;

	assert_non_null(directory);
	assert_true(g_str_has_prefix(run_directory_path(directory), *state));
	assert_int_equal(stat(run_directory_path(directory), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	world = run_directory_add_world(directory, 17, NULL);
	assert_true(g_str_has_suffix(world, "/w17"));
	touch(world, "clone.0");
	run_directory_remove_world(directory, 17);
	assert_int_equal(g_access(world, F_OK), -1);
	run_directory_remove_world(directory, 17);
	g_free(world);
	g_free(run_directory_add_world(directory, 18, NULL));
	run_directory_free(directory);
}

static void test_removal_follows_no_link(void **state)
{
	struct run_directory *directory = run_directory_new(4, NULL, NULL);
	g_autofree char *outside = g_build_filename(*state, "outside", NULL);
	g_autofree char *link = run_directory_file(directory, "link");

	assert_int_equal(g_mkdir(outside, 0700), 0);
	touch(outside, "precious");
	assert_int_equal(symlink(outside, link), 0);
	run_directory_free(directory);
	g_free(link);
	link = g_build_filename(outside, "precious", NULL);
	assert_int_equal(g_unlink(link), 0);
	assert_int_equal(g_rmdir(outside), 0);
}

/* A file that MPICH has made in /dev/shm for a job of ours is removed. */
static void test_files_of_jobs_are_removed(void **state)
{
	struct run_directory *directory = run_directory_new(4, NULL, NULL);
	g_autofree char *world = run_directory_add_world(directory, 3, NULL);
	g_autofree char *link = g_build_filename(world, RUN_DIRECTORY_SHARED "x", NULL);
	g_autofree char *other = g_build_filename(world, RUN_DIRECTORY_SHARED "y", NULL);
	g_autofree char *precious = g_build_filename(*state, "precious", NULL);
	char made[] = "/dev/shm/mpich_shar_tmpXXXXXX";
	int file = g_mkstemp(made);

	assert_true(file >= 0);
	close(file);
	touch(*state, "precious");
	assert_int_equal(symlink(made, link), 0);
	assert_int_equal(symlink(precious, other), 0);
	run_directory_remove_world(directory, 3);
	assert_int_equal(g_access(made, F_OK), -1);
	assert_int_equal(g_unlink(precious), 0);
	run_directory_free(directory);
}

static void test_directories_of_dead_owners_are_removed(void **state)
{
	struct run_directory *living = run_directory_new(4, NULL, NULL), *next;
	g_autofree char *dead = g_build_filename(*state, "matchpoint-1073741823-abcdef", NULL);
	g_autofree char *starting = g_strdup_printf("%s/matchpoint-%d-abcdef", (char *)*state,
	                                            (int)getpid());
	g_autofree char *world = g_build_filename(dead, "w0", NULL);
	g_autofree char *elsewhere = g_build_filename(*state, "matchpoint-1073741822-abcdef", NULL);

	assert_int_equal(g_mkdir_with_parents(world, 0700), 0);
	assert_int_equal(g_mkdir(starting, 0700), 0);
	assert_int_equal(g_mkdir(elsewhere, 0700), 0);
	touch(world, "clone.0");
	touch(dead, "lock");
	next = run_directory_new(4, NULL, NULL);
	assert_int_equal(g_access(dead, F_OK), -1);
	assert_int_equal(g_access(run_directory_path(living), F_OK), 0);
	assert_int_equal(g_access(starting, F_OK), 0);
	assert_int_equal(g_rmdir(starting), 0);
	assert_int_equal(g_rmdir(elsewhere), 0); /* it starts in another container */
	run_directory_free(living);
	run_directory_free(next);
}

/* Supervisors may hold the lock a moment longer than the owner lived. */
static void test_a_directory_unlocked_late_is_removed_at_the_end(void **state)
{
	g_autofree char *dead = g_build_filename(*state, "matchpoint-1073741823-abcdef", NULL);
	g_autofree char *lock = g_build_filename(dead, "lock", NULL);
	struct run_directory *directory;
	int holder;

	assert_int_equal(g_mkdir(dead, 0700), 0);
	touch(dead, "lock");
	holder = open(lock, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(holder, LOCK_EX), 0);
	directory = run_directory_new(4, NULL, NULL);
	assert_int_equal(g_access(dead, F_OK), 0);
	close(holder);
	run_directory_free(directory);
	assert_int_equal(g_access(dead, F_OK), -1);
}

/* Begins and ends repeatedly. Returns how often its directory was gone in between. */
static int come_and_go(void)
{
	int gone = 0;

	for (int i = 0; i < 200; i++) {
		struct run_directory *directory = run_directory_new(4, NULL, NULL);
		g_autofree char *world = directory ? run_directory_add_world(directory, 1, NULL)
		                                   : NULL;

		gone += !world;
		run_directory_free(directory);
	}
	return gone;
}

static void test_concurrent_starts_do_not_remove_each_other(void **state)
{
	pid_t others[3];
	int status;

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
		others[i] = fork();
		if (others[i] == 0)
			_exit(come_and_go() > 0);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
		assert_int_equal(waitpid(others[i], &status, 0), others[i]);
		assert_int_equal(status, 0);
	}
}

static void expect_refusal(int ranks, const char *part)
{
	GError *error = NULL;

	assert_null(run_directory_new(ranks, NULL, &error));
	if (!strstr(error->message, part))
		fail_msg("\"%s\" does not say \"%s\"", error->message, part);
	g_error_free(error);
}

static void test_bad_places_are_refused(void **state)
{
	g_autofree char *name = g_strnfill(90, 'x');
	g_autofree char *path = g_build_filename(*state, name, NULL);

	assert_int_equal(g_mkdir(path, 0700), 0);
	g_setenv(ENVIRONMENT_RUNDIR, path, true);
	expect_refusal(4, "too long");
	assert_int_equal(g_rmdir(path), 0);
	expect_refusal(4, "No such file");
	g_setenv(ENVIRONMENT_RUNDIR, "relative", true);
	expect_refusal(4, "absolute");
	g_setenv(ENVIRONMENT_RUNDIR, *state, true);
	expect_refusal(1 << 30, "MB free");
	g_unsetenv(ENVIRONMENT_RUNDIR);
	expect_refusal(1 << 30, "--shm-size");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_worlds_come_and_go),
		TEST(test_removal_follows_no_link),
		TEST(test_files_of_jobs_are_removed),
		TEST(test_directories_of_dead_owners_are_removed),
		TEST(test_a_directory_unlocked_late_is_removed_at_the_end),
		TEST(test_concurrent_starts_do_not_remove_each_other),
		TEST(test_bad_places_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
