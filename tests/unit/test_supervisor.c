/* room: host */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/host/supervisor.h"

#define BEYOND 100 /* descriptors */

struct fixture {
	pid_t supervisor;
	int reports, lock; /* the owner's ends: of the pipe; of the lock */
	FILE *output;      /* of the command */
};

static void supervise(const char *script, int reports, int lock, int output)
{
	char *const command[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};

	/* above the descriptors that they become, and those that this test inherited */
	reports = fcntl(reports, F_DUPFD, BEYOND);
	lock = fcntl(lock, F_DUPFD, BEYOND);
	dup2(output, STDOUT_FILENO);
	for (int fd = 3; fd < BEYOND; fd++)
		close(fd);
	dup2(reports, SUPERVISOR_PIPE);
	dup2(lock, SUPERVISOR_LOCK);
	close(reports);
	close(lock);
	_exit(supervisor_become((char **)command));
}

static void start(struct fixture *fixture, const char *script)
{
	int reports[2], lock[2], output[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, reports), 0);
	assert_int_equal(pipe(lock), 0);
	assert_int_equal(pipe(output), 0);
	fixture->supervisor = fork();
	if (fixture->supervisor == 0)
		supervise(script, reports[1], lock[1], output[1]);
	close(reports[1]);
	close(lock[1]);
	close(output[1]);
	fixture->reports = reports[0];
	fixture->lock = lock[0];
	fixture->output = fdopen(output[0], "r");
}

static int told(const struct fixture *fixture)
{
	int value = -1;

	assert_int_equal(recv(fixture->reports, &value, sizeof(value), MSG_WAITALL), sizeof(value));
	return value;
}

static int end_of(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static bool is_unlocked(const struct fixture *fixture)
{
	struct pollfd lock = {.fd = fixture->lock, .events = POLLIN};

	return poll(&lock, 1, 0) == 1;
}

static void release(struct fixture *fixture)
{
	close(fixture->lock);
	fclose(fixture->output);
}

static pid_t parent_of(pid_t pid)
{
	char path[64];
	FILE *file;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d %*s %*c %d", &parent), 1);
	fclose(file);
	return parent;
}

static void test_the_command_and_its_end_are_reported(void **state)
{
	struct fixture fixture;
	pid_t command;
	int printed;

	(void)state;
	start(&fixture, "echo $$; exit 3");
	command = told(&fixture);
	assert_int_equal(fscanf(fixture.output, "%d", &printed), 1);
	assert_int_equal(command, printed);
	assert_int_equal(told(&fixture), 3 << 8);
	assert_int_equal(waitpid(fixture.supervisor, NULL, WNOHANG), 0); /* it stays */
	assert_false(is_unlocked(&fixture));
	close(fixture.reports);
	assert_int_equal(end_of(fixture.supervisor), 0);
	assert_true(is_unlocked(&fixture));
	release(&fixture);
}

static void test_a_daemon_ends_with_the_owner(void **state)
{
	struct fixture fixture;
	pid_t sleeper;

	(void)state;
	start(&fixture, "(setsid env -i sleep 4711 <&- >/dev/null 2>&1 & echo $!)");
	told(&fixture);
	assert_int_equal(told(&fixture), 0);
	assert_int_equal(fscanf(fixture.output, "%d", &sleeper), 1);
	assert_int_equal(parent_of(sleeper), fixture.supervisor);
	assert_int_equal(kill(sleeper, 0), 0);
	close(fixture.reports);
	assert_int_equal(end_of(fixture.supervisor), 0);
	assert_true(kill(sleeper, 0) < 0 && errno == ESRCH);
	release(&fixture);
}

static void test_what_still_runs_ends_with_the_owner(void **state)
{
	struct fixture fixture;
	pid_t command;

	(void)state;
	start(&fixture, "trap '' TERM INT HUP; sleep 4711 & wait");
	command = told(&fixture);
	close(fixture.reports);
	assert_int_equal(end_of(fixture.supervisor), 0);
	assert_true(kill(command, 0) < 0 && errno == ESRCH);
	release(&fixture);
}

static void test_the_command_dies_with_its_supervisor(void **state)
{
	struct fixture fixture;
	pid_t command;
	int printed;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	start(&fixture, "echo $$; exec sleep 4711");
	command = told(&fixture);
	assert_int_equal(fscanf(fixture.output, "%d", &printed),
	                 1); /* it runs, and dies with its supervisor */
	assert_int_equal(printed, command);
	kill(fixture.supervisor, SIGKILL);
	assert_int_equal(end_of(fixture.supervisor), SIGKILL);
	assert_int_equal(end_of(command), SIGKILL);
	close(fixture.reports);
	release(&fixture);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void test_a_command_that_is_not_there(void **state)
{
	struct fixture fixture;

	(void)state;
	start(&fixture, "exec /no/such/program");
	told(&fixture);
	assert_int_equal(told(&fixture), 127 << 8);
	close(fixture.reports);
	assert_int_equal(end_of(fixture.supervisor), 0);
	release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_command_and_its_end_are_reported),
		cmocka_unit_test(test_a_daemon_ends_with_the_owner),
		cmocka_unit_test(test_what_still_runs_ends_with_the_owner),
		cmocka_unit_test(test_the_command_dies_with_its_supervisor),
		cmocka_unit_test(test_a_command_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
