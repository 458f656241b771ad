/* Pipes, event counters and the like: each copy has its own, or they are a hazard. */
#define _GNU_SOURCE
#include "agent_fixture.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "ckpt/agent_state.h"

struct ends {
	int from, to;
};

static struct ends open_pipe(int flags)
{
	int ends[2];

	assert_int_equal(pipe2(ends, flags), 0);
	return (struct ends){ends[0], ends[1]};
}

static void close_pipe(struct ends ends)
{
	close(ends.from);
	close(ends.to);
}

static int in_it(int fd)
{
	int count = -1;

	return ioctl(fd, FIONREAD, &count) == 0 ? count : -1;
}

static void assert_hazard(struct fixture *fixture, const char *part)
{
	assert_int_equal(agent_survey(fixture->agent), 0);
	assert_non_null(agent_hazard(fixture->agent));
	if (!strstr(agent_hazard(fixture->agent), part))
		fail_msg("hazard \"%s\" does not name \"%s\"", agent_hazard(fixture->agent), part);
}

/* As if MPI were initialised only now. */
static void begin_anew(struct fixture *fixture)
{
	agent_before_init();
	agent_free(fixture->agent);
	fixture->agent = agent_new(-1, -1);
	assert_non_null(fixture->agent);
}

/* --- pipes ------------------------------------------------------------------------------------ */

/* The copy finds nothing in the pipe, and leaves something. */
static int write_into(struct fixture *fixture, void *data)
{
	const struct ends *ends = data;
	char text[8] = "";

	(void)fixture;
	if (in_it(ends->from) != 0 || write(ends->to, "left", 4) != 4)
		return 1;
	if (read(ends->from, text, 2) != 2 || strcmp(text, "le") != 0)
		return 2;
	return fcntl(ends->from, F_GETFL) == (O_RDONLY | O_NONBLOCK)
	                       && fcntl(ends->to, F_GETFL) == (O_WRONLY | O_NONBLOCK)
	                       && fcntl(ends->from, F_GETFD) == FD_CLOEXEC
	               ? 0
	               : 3;
}

static void test_each_copy_has_its_own_pipe(void **state)
{
	struct fixture *fixture = *state;
	struct ends ends = open_pipe(O_NONBLOCK | O_CLOEXEC);

	for (int early = 0; early < 2; early++) {
		survey_safely(fixture);
		for (int i = 0; i < 2; i++)
			assert_int_equal(restore(fixture, write_into, &ends), 0);
		assert_int_equal(in_it(ends.from), 0);
		begin_anew(fixture);
	}
	close_pipe(ends);
}

static int close_and_read(struct fixture *fixture, void *data)
{
	const struct ends *ends = data;
	char byte;

	(void)fixture;
	close(ends->to);
	return read(ends->from, &byte, 1) == 0 ? 0 : 1;
}

static void test_only_the_copy_holds_the_other_end(void **state)
{
	struct fixture *fixture = *state;
	struct ends ends = open_pipe(O_NONBLOCK);

	survey_safely(fixture);
	assert_int_equal(restore(fixture, close_and_read, &ends), 0);
	close_pipe(ends);
}

/* The descriptor is a copy of the write end. */
static int write_by_copy(struct fixture *fixture, void *data)
{
	const int *fds = data;

	(void)fixture;
	if (write(fds[2], "x", 1) != 1 || in_it(fds[0]) != 1)
		return 1;
	fcntl(fds[2], F_SETFL, O_NONBLOCK);
	return fcntl(fds[1], F_GETFL) & O_NONBLOCK ? 0 : 2;
}

static void test_ends_and_copies_of_them_are_one_pipe(void **state)
{
	struct fixture *fixture = *state;
	struct ends ends = open_pipe(0);
	int fds[3] = {ends.from, ends.to, dup(ends.to)};

	survey_safely(fixture);
	assert_int_equal(restore(fixture, write_by_copy, fds), 0);
	assert_int_equal(in_it(ends.from), 0);
	/* The write end has the lower number. */
	fds[0] = fcntl(ends.from, F_DUPFD, fds[2] + 1);
	assert_true(fds[0] > fds[2]);
	close(ends.from);
	survey_safely(fixture);
	assert_int_equal(restore(fixture, write_by_copy, fds), 0);
	close(fds[0]);
	close(fds[1]);
	close(fds[2]);
}

static int fill(struct fixture *fixture, void *data)
{
	const struct ends *ends = data;
	char bytes[3000] = "";

	(void)fixture;
	if (fcntl(ends->from, F_GETPIPE_SZ) != 4096)
		return 1;
	if (write(ends->to, bytes, sizeof(bytes)) != sizeof(bytes))
		return 2;
	return write(ends->to, bytes, sizeof(bytes)) < 0 && errno == EAGAIN ? 0 : 3;
}

static void test_a_pipe_has_the_room_that_it_had(void **state)
{
	struct fixture *fixture = *state;
	struct ends ends = open_pipe(O_NONBLOCK);

	assert_int_equal(fcntl(ends.to, F_SETPIPE_SZ, 4096), 4096);
	survey_safely(fixture);
	assert_int_equal(restore(fixture, fill, &ends), 0);
	assert_int_equal(restore(fixture, fill, &ends), 0);
	close_pipe(ends);
}

static void test_pipes_that_cannot_be_created_anew_are_hazards(void **state)
{
	struct fixture *fixture = *state;
	struct ends ends = open_pipe(0);
	char path[64], text[8];
	int again;

	for (int early = 0; early < 2; early++) {
		put_text(ends.to, "data");
		assert_hazard(fixture, "a pipe with data in it");
		assert_int_equal(read(ends.from, text, sizeof(text)), 4);
		survey_safely(fixture);
		fcntl(ends.from, F_SETFL, O_ASYNC);
		assert_hazard(fixture, "signals");
		fcntl(ends.from, F_SETFL, 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", ends.from);
		again = open(path, O_RDONLY);
		assert_hazard(fixture, "shares with others");
		close(again);
		begin_anew(fixture);
	}
	close(ends.to);
	assert_hazard(fixture, "shares with others");
	close(ends.from);
	assert_int_equal(mkfifo(fixture->file, 0600), 0);
	again = open(fixture->file, O_RDWR);
	assert_hazard(fixture, "FIFO");
	close(again);
}

/* What it has started may still run and hold descriptors. */
static void test_started_processes_are_a_hazard(void **state)
{
	struct fixture *fixture = *state;
	struct ends ends = open_pipe(0);
	int counter;

	begin_anew(fixture);
	survey_safely(fixture);
	assert_int_equal(system("true"), 0);
	assert_hazard(fixture, "started other processes");
	agent_know_children(); /* it is known that the program has had children */
	assert_hazard(fixture, "started other processes");
	close_pipe(ends);
	survey_safely(fixture);
	counter = eventfd(0, 0);
	assert_hazard(fixture, "started other processes");
	close(counter);
}

/* --- others ----------------------------------------------------------------------------------- */

static int count_on(struct fixture *fixture, void *data)
{
	const int *fds = data;
	uint64_t value = 0;

	(void)fixture;
	if (read(fds[0], &value, sizeof(value)) != sizeof(value) || value != 7)
		return 1;
	if (read(fds[1], &value, sizeof(value)) != sizeof(value) || value != 1)
		return 2;
	value = 30;
	if (write(fds[0], &value, sizeof(value)) != sizeof(value))
		return 3;
	return fcntl(fds[0], F_GETFL) == (O_RDWR | O_NONBLOCK) && fcntl(fds[1], F_GETFL) == O_RDWR
	               ? 0
	               : 4;
}

static bool all_is_told(int fd)
{
	char path[64], info[512] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	assert_non_null(file);
	info[fread(info, 1, sizeof(info) - 1, file)] = '\0';
	fclose(file);
	return strstr(info, "eventfd-semaphore") != NULL;
}

static void test_each_copy_has_its_own_counter(void **state)
{
	struct fixture *fixture = *state;
	int fds[2] = {eventfd(7, EFD_NONBLOCK), eventfd(2, EFD_SEMAPHORE)};

	for (int early = 0; early < 2; early++) {
		if (all_is_told(fds[0])) {
			survey_safely(fixture);
			for (int i = 0; i < 2; i++)
				assert_int_equal(restore(fixture, count_on, fds), 0);
		} else {
			assert_hazard(fixture, "eventfd");
		}
		begin_anew(fixture);
	}
	close(fds[0]);
	close(fds[1]);
}

struct told {
	uint8_t bytes[1 << 16];
	size_t size;
};

static void add_told(void *user, const void *bytes, size_t size)
{
	struct told *told = user;

	assert_true(told->size + size <= sizeof(told->bytes));
	memcpy(told->bytes + told->size, bytes, size);
	told->size += size;
}

/* False, too, if there is no state. */
static bool has_same_state(struct fixture *fixture, struct told *then)
{
	static struct told now; /* static: the size of the heap is part of the state */
	bool same;

	now.size = 0;
	same = !agent_state_tell(fixture->agent, add_told, &now) && now.size == then->size
	       && memcmp(now.bytes, then->bytes, now.size) == 0;
	*then = now;
	return same;
}

/* The state is another one, and does not change again. */
static bool differs(struct fixture *fixture, struct told *told)
{
	return !has_same_state(fixture, told) && has_same_state(fixture, told);
}

/* Exchanges which ends of two pipes belong together. */
static void change_ends(struct ends one, struct ends other)
{
	int between = dup(one.to);

	dup2(other.to, one.to);
	dup2(between, other.to);
	close(between);
}

/* In a process that writes no file. Returns the number of successful steps. */
static int check_changes(struct fixture *fixture, int counter)
{
	struct ends one = open_pipe(0), other = open_pipe(0);
	static struct told told;
	uint64_t value = 1;

	if (!differs(fixture, &told))
		return 0;
	if (write(counter, &value, sizeof(value)) != sizeof(value) || !differs(fixture, &told))
		return 1;
	if (fcntl(one.to, F_SETPIPE_SZ, 4096) != 4096 || !differs(fixture, &told))
		return 2;
	fcntl(one.to, F_SETPIPE_SZ, fcntl(other.to, F_GETPIPE_SZ));
	if (!differs(fixture, &told))
		return 3;
	change_ends(one, other);
	if (!differs(fixture, &told))
		return 4;
	return write(other.to, "x", 1) != 1 || !agent_state_tell(fixture->agent, add_told, &told)
	               ? 5
	               : 6;
}

static void test_pipes_and_counters_are_part_of_the_state(void **state)
{
	struct fixture *fixture = *state;
	int counter = eventfd(1, 0);
	pid_t child;

	if (!all_is_told(counter))
		skip();
	child = fork();
	if (child == 0) {
		int nothing = open("/dev/null", O_WRONLY);

		dup2(nothing, STDOUT_FILENO);
		dup2(nothing, STDERR_FILENO);
		_exit(check_changes(fixture, counter));
	}
	assert_int_equal(exit_status(child), 6);
	close(counter);
}

static void test_descriptors_opened_early_are_the_programs(void **state)
{
	struct fixture *fixture = *state;
	int sockets[2], timer, launchers;

	launchers = socket(AF_UNIX, SOCK_STREAM, 0);
	agent_before_main();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	begin_anew(fixture);
	assert_hazard(fixture, "it has opened a socket");
	close(sockets[0]);
	close(sockets[1]);
	survey_safely(fixture); /* the launcher's pipe is shared */

	agent_before_main();
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	begin_anew(fixture);
	assert_hazard(fixture, "timerfd");
	close(timer);

	/* MPI's own. */
	agent_before_main();
	agent_before_init();
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	agent_free(fixture->agent);
	fixture->agent = agent_new(-1, -1);
	survey_safely(fixture);
	close(timer);
	close(sockets[0]);
	close(sockets[1]);
	close(launchers);
}

/* A descriptor that is closed on exec was not inherited. */
static void test_descriptors_of_a_loaded_library_are_the_programs(void **state)
{
	struct fixture *fixture = *state;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	agent_before_main();
	begin_anew(fixture);
	assert_hazard(fixture, "it has opened a socket");
	close(fd);
}

static void test_standard_output_through_others_is_a_hazard(void **state)
{
	struct fixture *fixture = *state;
	int kept = dup(STDOUT_FILENO), sockets[2];

	fflush(stdout);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	assert_int_equal(dup2(sockets[1], STDOUT_FILENO), STDOUT_FILENO);
	close(sockets[1]);
	agent_before_main();
	begin_anew(fixture);
	agent_survey(fixture->agent);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	close(sockets[0]);
	assert_non_null(agent_hazard(fixture->agent));
	assert_string_equal(agent_hazard(fixture->agent), "it has opened a socket (descriptor 1)");
}

/* Runs in a process of its own, whose output goes to a file as a rank's does; prints the output
 * later. */
static int run_in_child(int (*body)(void))
{
	FILE *file = tmpfile();
	pid_t child = file ? fork() : -1;
	int status = -1, byte;

	if (child == 0) {
		int nothing = open("/dev/null", O_RDONLY);

		dup2(nothing, STDIN_FILENO);
		dup2(fileno(file), STDOUT_FILENO);
		dup2(fileno(file), STDERR_FILENO);
		close_range(STDERR_FILENO + 1, ~0u, 0); /* whatever others leave open */
		exit(body());
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	rewind(file);
	while ((byte = getc(file)) != EOF)
		putchar(byte);
	fclose(file);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int run_group(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_copy_has_its_own_pipe),
		TEST(test_only_the_copy_holds_the_other_end),
		TEST(test_ends_and_copies_of_them_are_one_pipe),
		TEST(test_a_pipe_has_the_room_that_it_had),
		TEST(test_pipes_that_cannot_be_created_anew_are_hazards),
		TEST(test_each_copy_has_its_own_counter),
		TEST(test_pipes_and_counters_are_part_of_the_state),
		TEST(test_descriptors_opened_early_are_the_programs),
		TEST(test_descriptors_of_a_loaded_library_are_the_programs),
		TEST(test_standard_output_through_others_is_a_hazard),
		/* Last, because the agent does not forget it. */
		TEST(test_started_processes_are_a_hazard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return run_in_child(run_group);
}
