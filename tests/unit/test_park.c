/* A keeper in its own process, with this process as its scheduler. park.c belongs to the shim,
 * which is no library for others, so it is compiled in here. */
#include "shim/gate/channel.c"
#include "shim/gate/ring_writer.c"
#include "shim/park/identity.c"
#include "shim/park/park.c"
#include "shim/park/park_debugger.c"
#include "shim/park/park_disk.c"
#include "shim/park/park_hold.c"
#include "shim/park/park_image.c"
#include "shim/park/peers.c"
#include "shim/process/process.c"
#include "shim/process/tracer.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "ckpt/agent_rewind_internal.h"

/* There is no MPI library. */
bool real_is_library(const void *address)
{
	(void)address;
	return false;
}

/* This test is to park also if it is built with AddressSanitizer itself. */
bool sanitizer_is_there(void)
{
	return false;
}

/* Clocks do not matter here. */
void virtual_time_welcome(const struct wire_welcome *welcome)
{
	(void)welcome;
}

/* Nor do forked processes of the program. */
void forked_expect(int32_t rank)
{
	(void)rank;
}

void forked_begin(int32_t rank)
{
	(void)rank;
}

struct fixture {
	char directory[40];
	int listener, pmi;
	int control; /* the scheduler's view of the keeper */
	pid_t keeper;
};

static int listen_on(const char *directory, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", directory, name);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

static void send_to(int fd, const struct wire_message *message)
{
	struct wire_buffer buffer = {0};

	wire_encode(&buffer, message);
	assert_int_equal(park_send_all(fd, buffer.bytes, buffer.count), 0);
	wire_buffer_release(&buffer);
}

static struct wire_message receive_from(int fd, uint16_t type)
{
	struct wire_message message;
	int before = park.control_fd;

	park.control_fd = fd;
	assert_int_equal(read_message(&message), 0);
	park.control_fd = before;
	assert_int_equal(message.type, type);
	return message;
}

/* A rank that parks. Each copy returns as its status what it received; the keeper exits with 50 if
 * it is resumed. */
static _Noreturn void be_a_rank(struct fixture *fixture, int pmi_fd)
{
	char path[128];
	struct wire_welcome welcome = {0};
	pid_t pid = getpid();
	int fd;

	setenv("MATCHPOINT_DIRECTORY", fixture->directory, 1);
	snprintf(path, sizeof(path), "%s/socket", fixture->directory);
	setenv("MATCHPOINT_SOCKET", path, 1);
	snprintf(path, sizeof(path), "%d", pmi_fd);
	setenv("PMI_FD", path, 1);
	fd = open(fixture->directory, O_RDONLY | O_DIRECTORY);
	dup2(fd, AGENT_WORLD_FD);
	close(fd);
	fd = fcntl(0, F_DUPFD, 230);
	snprintf(path, sizeof(path), "%s/socket", fixture->directory);
	if (fd < 0 || connect_to(path, fd) < 0 || park_init(fd, 0, 2, false, false) < 0)
		_exit(60);
	channel_open(fd);
	if (park_wait(&welcome) == PARK_RESUMED)
		park_exit(50 + welcome.buffering);
	if (getpid() != pid || gettid() != pid || process_real_pid() == pid
	    || kill(getpid(), 0) < 0)
		_exit(61);
	if (park.world != 9 || fcntl(AGENT_WORLD_FD, F_GETFD) < 0)
		_exit(62);
	_exit(welcome.buffering);
}

static int set_up(void **state)
{
	static struct fixture only;
	struct fixture *fixture = &only;
	int launcher[2];

	strcpy(fixture->directory, "/tmp/matchpoint-test-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	fixture->listener = listen_on(fixture->directory, "socket");
	fixture->pmi = listen_on(fixture->directory, "pmi");
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, launcher), 0);
	fixture->keeper = fork();
	if (fixture->keeper == 0) {
		close(launcher[0]);
		be_a_rank(fixture, launcher[1]);
	}
	close(launcher[1]);
	park.launcher_fd = launcher[0]; /* our end, kept here for the test that needs it */
	fixture->control = accept(fixture->listener, NULL, NULL);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char command[128];

	close(fixture->control);
	close(fixture->listener);
	close(fixture->pmi);
	close(park.launcher_fd);
	snprintf(command, sizeof(command), "rm -rf %s", fixture->directory);
	assert_int_equal(system(command), 0);
	return 0;
}

static int wait_for_keeper(struct fixture *fixture)
{
	int status;

	assert_int_equal(waitpid(fixture->keeper, &status, 0), fixture->keeper);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_parked(struct fixture *fixture)
{
	struct wire_message message = receive_from(fixture->control, WIRE_PARKED);

	assert_string_equal(message.parked.hazard, "");
	wire_message_release(&message);
}

static void expect_greeting(int listener, const char *expected)
{
	int fd = accept(listener, NULL, NULL);
	char text[80] = "";

	assert_true(recv(fd, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, expected);
	close(fd);
}

/* The scheduler's part of restoring; the child's control socket. */
static int restore(struct fixture *fixture, struct wire_message *ret_child)
{
	struct wire_message order = {.type = WIRE_RESTORE}, hello;
	int fd;

	order.restore.world = 9;
	order.restore.rank = 2;
	order.restore.directory = fixture->directory;
	send_to(fixture->control, &order);
	fd = accept(fixture->listener, NULL, NULL);
	hello = receive_from(fd, WIRE_HELLO);
	assert_true(hello.hello.restored);
	assert_int_equal(hello.hello.world, 9);
	assert_int_equal(hello.hello.rank, 2);
	*ret_child = receive_from(fixture->control, WIRE_CHILD);
	assert_int_equal(ret_child->child.pid, hello.hello.pid);
	assert_false(ret_child->child.ended);
	wire_message_release(&hello);
	expect_greeting(fixture->pmi, "matchpoint world=9 rank=2\n");
	return fd;
}

static void test_children_get_messages_and_are_reported(void **state)
{
	struct fixture *fixture = *state;
	struct wire_message welcome = {.type = WIRE_WELCOME}, child, ended;

	expect_greeting(fixture->pmi, "matchpoint world=0 rank=2\n");
	expect_parked(fixture);
	for (int round = 0; round < 3; round++) {
		int fd = restore(fixture, &child);

		welcome.welcome.buffering = (uint8_t)(round + 1);
		send_to(fd, &welcome);
		ended = receive_from(fixture->control, WIRE_CHILD);
		assert_true(ended.child.ended);
		assert_int_equal(ended.child.world, 9);
		assert_int_equal(ended.child.pid, child.child.pid);
		assert_int_equal(ended.child.status, (round + 1) << 8);
		close(fd);
	}
	send_to(fixture->control, &(struct wire_message){.type = WIRE_RESUME});
	ended = receive_from(fixture->control, WIRE_HELLO);
	assert_true(ended.hello.restored);
	assert_int_equal(ended.hello.world, 0);
	wire_message_release(&ended);
	welcome.welcome.buffering = 9;
	send_to(fixture->control, &welcome);
	assert_true(send(park.launcher_fd, "cmd=finalize_ack\n", 17, 0) == 17);
	assert_int_equal(wait_for_keeper(fixture), 59);
}

static void test_a_keeper_without_copies_resumes_at_once(void **state)
{
	struct fixture *fixture = *state;

	expect_parked(fixture);
	send_to(fixture->control, &(struct wire_message){.type = WIRE_RESUME});
	assert_true(send(park.launcher_fd, "cmd=finalize_ack\n", 17, 0) == 17);
	assert_int_equal(wait_for_keeper(fixture), 50);
}

static void test_release_finishes_with_the_launcher(void **state)
{
	struct fixture *fixture = *state;
	struct wire_message release = {.type = WIRE_RELEASE};
	char text[80] = "";

	expect_parked(fixture);
	release.end.status = 7;
	send_to(fixture->control, &release);
	assert_int_equal(recv(park.launcher_fd, text, sizeof(text) - 1, 0), 13);
	assert_string_equal(text, "cmd=finalize\n");
	assert_true(send(park.launcher_fd, "cmd=finalize_ack\n", 17, 0) == 17);
	assert_int_equal(wait_for_keeper(fixture), 7);
}

static void test_a_released_keeper_waits_for_its_children(void **state)
{
	struct fixture *fixture = *state;
	struct wire_message release = {.type = WIRE_RELEASE}, welcome = {.type = WIRE_WELCOME},
			    child;
	int fd;

	expect_parked(fixture);
	expect_greeting(fixture->pmi, "matchpoint world=0 rank=2\n");
	fd = restore(fixture, &child);
	assert_true(send(park.launcher_fd, "cmd=finalize_ack\n", 17, 0) == 17);
	send_to(fixture->control, &release);
	usleep(20000);
	assert_int_equal(waitpid(fixture->keeper, NULL, WNOHANG), 0);
	send_to(fd, &welcome);
	child = receive_from(fixture->control, WIRE_CHILD);
	assert_true(child.child.ended);
	assert_int_equal(child.child.status, 0);
	assert_int_equal(wait_for_keeper(fixture), 0);
	close(fd);
}

static void test_all_end_with_the_scheduler(void **state)
{
	struct fixture *fixture = *state;
	struct wire_message child;
	char byte;
	int fd;

	expect_parked(fixture);
	expect_greeting(fixture->pmi, "matchpoint world=0 rank=2\n");
	fd = restore(fixture, &child);
	assert_int_equal(shutdown(fixture->control, SHUT_RDWR), 0);
	assert_int_equal(wait_for_keeper(fixture), AGENT_FAILURE_SCHEDULER_GONE);
	assert_true(recv(fd, &byte, 1, 0) <= 0); /* the child has ended as well */
	close(fd);
}

static void test_a_rank_that_has_moved_is_not_still(void **state)
{
	struct agent *before = park.agent;
	bool noted = false;

	(void)state;
	park.agent = agent_new(-1, -1);
	assert_int_equal(agent_private_stack_new(park.agent, false), 0);
	agent_is_unmoved(park.agent);
	agent_note_idle(park.agent, &noted);
	assert_true(noted && park_is_unmoved());
	park_note_moved();
	assert_false(park_is_unmoved());
	agent_free(park.agent);
	park.agent = before;
}

static void test_a_rank_is_still_until_it_moves(void **state)
{
	struct agent *before = park.agent;

	(void)state;
	park.agent = agent_new(-1, -1);
	assert_int_equal(agent_private_stack_new(park.agent, true), 0);
	assert_false(park_is_idle());
	park_be_idle();
	park_forget_image(2);
	assert_true(park_is_idle());
	park_note_moved();
	assert_false(park_is_idle());
	agent_free(park.agent);
	park.agent = before;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_children_get_messages_and_are_reported),
		TEST(test_a_keeper_without_copies_resumes_at_once),
		TEST(test_release_finishes_with_the_launcher),
		TEST(test_a_released_keeper_waits_for_its_children),
		TEST(test_all_end_with_the_scheduler),
		cmocka_unit_test(test_a_rank_that_has_moved_is_not_still),
		cmocka_unit_test(test_a_rank_is_still_until_it_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
