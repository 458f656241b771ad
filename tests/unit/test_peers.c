/* Ranks as processes that share a world's directory. peers.c belongs to the shim, which is no
 * library for others, so it is compiled in here. */
#include "shim/process/peers.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cmocka.h>

#define TRANSPORTS "posix,cma,self"

/* There is no MPI library. */
bool real_is_library(const void *address)
{
	(void)address;
	return false;
}

static unsigned ucx_minor = 13;

void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release);

/* Found like UCX's function. */
__attribute__((visibility("default"))) void ucp_get_version(unsigned *major, unsigned *minor,
                                                            unsigned *release)
{
	*major = 1;
	*minor = ucx_minor;
	*release = 0;
}

static char directory[] = "/tmp/matchpoint-test-peers-XXXXXX";

static int open_directory(void **state)
{
	int opened;

	(void)state;
	assert_non_null(mkdtemp(directory));
	opened = open(directory, O_RDONLY | O_DIRECTORY);
	assert_true(opened >= 0);
	assert_int_equal(dup2(opened, AGENT_WORLD_FD), AGENT_WORLD_FD);
	return close(opened);
}

static int remove_directory(void **state)
{
	(void)state;
	unlinkat(AGENT_WORLD_FD, PEERS_FILE, 0);
	return rmdir(directory);
}

static void start(int rank)
{
	setenv("UCX_TLS", TRANSPORTS, true);
	setenv("UCX_RNDV_SCHEME", "get_zcopy", true);
	memset(&peers, 0, sizeof(peers));
	peers_start(rank);
}

static void test_each_rank_is_found_by_the_number_it_had(void **state)
{
	int connection[2], told;
	pid_t other;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, connection), 0);
	start(0);
	told = getpid();
	peers_tell(7, 4711);
	other = fork();
	if (other == 0) {
		peers_start(1);
		peers_tell(7, 4712);
		_exit(0);
	}
	assert_int_equal(waitpid(other, NULL, 0), other);
	assert_int_equal(peers_find(7, told, connection[0]), 4711);
	assert_int_equal(peers_find(7, other, connection[0]), 4712);
	assert_int_equal(peers_find(7, other + 1, connection[0]), 0);
}

static void test_a_late_rank_is_waited_for(void **state)
{
	int connection[2], told = getpid();
	pid_t other;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, connection), 0);
	start(0);
	peers_tell(7, 4711);
	other = fork();
	if (other == 0) {
		poll(NULL, 0, 20); /* most likely it waits by then */
		peers_tell(8, 4713);
		_exit(0);
	}
	assert_int_equal(peers_find(8, told, connection[0]), 4713);
	assert_int_equal(waitpid(other, NULL, 0), other);
	close(connection[1]); /* the scheduler's end */
	assert_int_equal(peers_find(9, told, connection[0]), -1);
}

static void test_where_there_is_no_room_messages_go_through_shared_memory(void **state)
{
	(void)state;
	start(MOST - 1);
	assert_string_equal(getenv("UCX_TLS"), TRANSPORTS);
	start(MOST);
	assert_string_equal(getenv("UCX_TLS"), "posix,self");
	assert_null(getenv("UCX_RNDV_SCHEME"));
	peers_tell(1, 2);
	assert_int_equal(peers_find(1, getpid(), -1), 0);
}

static void test_a_later_ucx_would_write(void **state)
{
	(void)state;
	ucx_minor = 18;
	start(0);
	ucx_minor = 13;
	assert_string_equal(getenv("UCX_TLS"), "posix,self");
	assert_null(getenv("UCX_RNDV_SCHEME"));
}

static void test_only_ucx_asks(void **state)
{
	(void)state;
	assert_false(peers_is_asked_by((const void *)(uintptr_t)test_only_ucx_asks));
	assert_false(peers_is_asked_by((const void *)(uintptr_t)printf));
	assert_false(peers_is_asked_by(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_rank_is_found_by_the_number_it_had),
		cmocka_unit_test(test_a_late_rank_is_waited_for),
		cmocka_unit_test(test_where_there_is_no_room_messages_go_through_shared_memory),
		cmocka_unit_test(test_a_later_ucx_would_write),
		cmocka_unit_test(test_only_ucx_asks),
	};

	return cmocka_run_group_tests(tests, open_directory, remove_directory);
}
