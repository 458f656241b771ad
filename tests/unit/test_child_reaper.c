/* room: host. Processes that were left behind are found each time, even if there are many. Each
 * test runs in a process of its own, which stays the subreaper of everything that it starts. */
#include "scheduler/host/child_reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const nowhere[] = {"/nowhere/run/w1", NULL};

enum { ROUNDS = 3, MANY = 700 }; /* the kernel lists so many in more than one piece */

/* Leaves a process behind whose parent has ended, and which waits for ever. */
static pid_t leave_behind(void)
{
	pid_t pid = 0, parent;
	int ends[2];

	if (pipe(ends) != 0)
		return 0;
	parent = fork();
	if (parent == 0) {
		pid = fork();
		if (pid == 0)
			for (;;)
				pause();
		_exit(write(ends[1], &pid, sizeof(pid)) != sizeof(pid));
	}
	if (waitpid(parent, NULL, 0) != parent || read(ends[0], &pid, sizeof(pid)) != sizeof(pid))
		pid = 0;
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static bool is_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

static int end_each(void)
{
	child_reaper_adopt();
	for (int i = 0; i < ROUNDS; i++) {
		pid_t pid = leave_behind();

		if (pid == 0)
			return 1;
		child_reaper_end(nowhere, true);
		if (!is_gone(pid))
			return 2;
	}
	return 0;
}

/* A process that has a file open in another directory of its world, as its output lies there. */
static int end_by_either(void)
{
	char one[] = "/tmp/mp-reaper-XXXXXX", other[] = "/tmp/mp-reaper-XXXXXX";
	g_autofree char *w1 = NULL, *w2 = NULL, *file = NULL;
	const char *worlds[] = {NULL, NULL, NULL};
	int open_file, wrong = 0;
	pid_t pid;

	child_reaper_adopt();
	if (!mkdtemp(one) || !mkdtemp(other))
		return 1;
	w1 = g_build_filename(one, "w1", NULL);
	w2 = g_build_filename(other, "w1", NULL);
	file = g_build_filename(w2, "out.0", NULL);
	worlds[0] = w1;
	if (mkdir(w2, 0700) != 0 || (open_file = open(file, O_WRONLY | O_CREAT, 0600)) < 0)
		return 2;
	pid = leave_behind();
	close(open_file);
	child_reaper_end(worlds, false);
	wrong |= is_gone(pid) ? 4 : 0;
	worlds[1] = w2;
	child_reaper_end(worlds, false);
	wrong |= is_gone(pid) ? 0 : 8;
	unlink(file);
	rmdir(w2);
	rmdir(one);
	rmdir(other);
	return wrong;
}

static int end_many(void)
{
	pid_t spared;

	child_reaper_adopt();
	spared = leave_behind();
	child_reaper_spare(spared, true);
	for (int i = 0; i < MANY; i++) {
		pid_t pid = fork();

		if (pid == 0)
			for (;;)
				pause();
		if (pid < 0)
			break; /* the limit of processes is reached */
	}
	child_reaper_end(nowhere, true);
	if (spared == 0 || is_gone(spared))
		return 1;
	child_reaper_spare(spared, false);
	child_reaper_end_all();
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 2;
}

static void in_a_process_of_its_own(int (*function)(void))
{
	g_autofree char *list = g_strdup_printf("/proc/%d/task/%d/children", (int)getpid(),
	                                        (int)getpid());
	int status;
	pid_t pid;

	if (access(list, R_OK) != 0)
		skip(); /* the kernel does not list children */
	pid = fork();
	if (pid == 0)
		_exit(function());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void what_is_left_behind_is_found_again_and_again(void **state)
{
	(void)state;
	in_a_process_of_its_own(end_each);
}

static void what_is_left_behind_is_found_by_its_output(void **state)
{
	(void)state;
	in_a_process_of_its_own(end_by_either);
}

static void all_of_many_are_found(void **state)
{
	(void)state;
	in_a_process_of_its_own(end_many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_behind_is_found_again_and_again),
		cmocka_unit_test(what_is_left_behind_is_found_by_its_output),
		cmocka_unit_test(all_of_many_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
