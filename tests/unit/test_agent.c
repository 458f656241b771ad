/* The agent without MPI: memory, output, directories and hazards. */
#define _GNU_SOURCE
#include "agent_fixture.h"
#include "ckpt/agent_failure.h"
#include "ckpt/agent_state.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

static int print_more(struct fixture *fixture, void *data)
{
	(void)fixture;
	return write(*(int *)data, "after\n", 6) == 6 ? 0 : 1;
}

static void test_output_continues_in_the_new_world(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/out.0", fixture->world);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	put_text(fd, "before\n");
	survey_safely(fixture);
	assert_int_equal(restore(fixture, print_more, &fd), 0);
	assert_int_equal(restore(fixture, print_more, &fd), 0);
	assert_file(fixture->world, "/out.0", "before\n");
	assert_file(fixture->base, "/new1/out.0", "before\nafter\n");
	assert_file(fixture->base, "/new2/out.0", "before\nafter\n");
	close(fd);
}

static void hash_nothing(void *user, const void *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)user += size;
}

static void test_state_does_not_change_the_survey(void **state)
{
	struct fixture *fixture = *state;
	size_t told = 0;
	int fd = open(fixture->file, O_RDWR | O_CREAT | O_APPEND, 0600);

	put_text(fd, "before\n");
	survey_safely(fixture);
	put_text(fd, "later\n");
	assert_non_null(agent_state_tell(fixture->agent, hash_nothing, &told));
	assert_int_equal(restore(fixture, print_more, &fd), 0);
	assert_file(fixture->base, "/file", "before\nafter\n");
	close(fd);
}

struct shared {
	char *one, *other; /* two addresses of one object */
	char *anonymous;
};

static int change_shared(struct fixture *fixture, void *data)
{
	struct shared *shared = data;
	struct stat named, attached;

	if (strcmp(shared->one, "keeper") || strcmp(shared->anonymous + 8192, "keeper"))
		return 1;
	strcpy(shared->one, "child");
	strcpy(shared->anonymous + 8192, "child");
	if (strcmp(shared->other, "child"))
		return 2;
	if (fstatat(AGENT_WORLD_FD, "segment", &named, 0) < 0)
		return 3;
	(void)fixture;
	return fstatat(AGENT_WORLD_FD, "clone.0", &attached, 0) == 0 && named.st_size == 4096 ? 0
	                                                                                      : 4;
}

static void test_shared_memory_is_cloned(void **state)
{
	struct fixture *fixture = *state;
	struct shared shared;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/segment", fixture->world);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(ftruncate(fd, 100), 0); /* the rest of the page is memory nevertheless */
	shared.one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	shared.other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	shared.anonymous = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	                        -1, 0);
	close(fd);
	strcpy(shared.one, "keeper");
	shared.one[4000] = 'x';
	strcpy(shared.anonymous + 8192, "keeper");
	survey_safely(fixture);
	assert_int_equal(restore(fixture, change_shared, &shared), 0);
	assert_int_equal(restore(fixture, change_shared, &shared), 0);
	assert_string_equal(shared.one, "keeper");
	assert_string_equal(shared.anonymous + 8192, "keeper");
	munmap(shared.one, 4096);
	munmap(shared.other, 4096);
	munmap(shared.anonymous, 1 << 20);
}

static int stop_watching(struct fixture *fixture, void *data)
{
	int *fds = data;
	struct epoll_event event;

	(void)fixture;
	if (epoll_wait(fds[0], &event, 1, 0) != 1 || event.data.u64 != 0x1122334455667788)
		return 1;
	return epoll_ctl(fds[0], EPOLL_CTL_DEL, fds[1], NULL) == 0 ? 0 : 2;
}

static void test_epoll_instance_is_rebuilt(void **state)
{
	struct fixture *fixture = *state;
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0x1122334455667788};
	int pair[2], fds[2];

	assert_int_equal(pipe(pair), 0);
	fds[0] = epoll_create1(EPOLL_CLOEXEC);
	fds[1] = pair[0];
	assert_int_equal(epoll_ctl(fds[0], EPOLL_CTL_ADD, fds[1], &event), 0);
	put_text(pair[1], "x");
	agent_free(fixture->agent);
	fixture->agent = agent_new(-1, -1);
	survey_safely(fixture);
	assert_int_equal(restore(fixture, stop_watching, fds), 0);
	assert_int_equal(restore(fixture, stop_watching, fds), 0);
	assert_int_equal(epoll_wait(fds[0], &event, 1, 0), 1);
	close(fds[0]);
	close(pair[0]);
	close(pair[1]);
}

static void assert_hazard(struct fixture *fixture, const char *part)
{
	assert_int_equal(agent_survey(fixture->agent), 0);
	assert_non_null(agent_hazard(fixture->agent));
	if (!strstr(agent_hazard(fixture->agent), part))
		fail_msg("hazard \"%s\" does not name \"%s\"", agent_hazard(fixture->agent), part);
}

static void test_new_descriptors_are_hazards(void **state)
{
	struct fixture *fixture = *state;
	int pair[2], fd;

	assert_int_equal(pipe(pair), 0);
	close(pair[1]);
	assert_hazard(fixture, "pipe");
	close(pair[0]);
	survey_safely(fixture);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_hazard(fixture, "socket");
	close(fd);
	fd = open("/dev/null", O_RDWR);
	survey_safely(fixture);
	close(fd);
	fd = open(fixture->file, O_RDWR | O_CREAT, 0600);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_hazard(fixture, "lock");
	close(fd);
}

static void *wait_for_byte(void *fd)
{
	char byte;

	return read(*(int *)fd, &byte, 1) == 1 ? NULL : fd;
}

static void test_threads_and_timers_are_hazards(void **state)
{
	struct fixture *fixture = *state;
	struct itimerval timer = {.it_value.tv_sec = 1000};
	int pair[2];
	pthread_t thread;

	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
	assert_hazard(fixture, "alarm");
	timer.it_value.tv_sec = 0;
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_byte, &pair[0]), 0);
	assert_hazard(fixture, " of its own"); /* a sanitizer may add one thread */
	put_text(pair[1], "x");
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(pair[0]);
	close(pair[1]);
}

static void test_processes_of_its_own_are_hazards(void **state)
{
	struct fixture *fixture = *state;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	assert_hazard(fixture, "other processes");
	assert_int_equal(waitpid(child, NULL, 0), child);
	survey_safely(fixture);
}

static void test_mapped_file_elsewhere_is_a_hazard(void **state)
{
	struct fixture *fixture = *state;
	int fd = open(fixture->file, O_RDWR | O_CREAT, 0600);
	void *mapped;

	assert_int_equal(ftruncate(fd, 4096), 0);
	mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_hazard(fixture, "shared and writable");
	munmap(mapped, 4096);
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	survey_safely(fixture);
	munmap(mapped, 4096);
	close(fd);
}

static int park_again(struct fixture *fixture, void *data)
{
	strcpy(fixture->world + strlen(fixture->base), "/new1");
	if (agent_survey(fixture->agent) < 0 || agent_hazard(fixture->agent))
		return 1;
	return restore(fixture, print_more, data);
}

static void test_a_copy_can_be_parked_itself(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/out.0", fixture->world);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	put_text(fd, "before\n");
	survey_safely(fixture);
	assert_int_equal(restore(fixture, park_again, &fd), 0);
	assert_file(fixture->base, "/new1/out.0", "before\n");
	assert_file(fixture->base, "/new2/out.0", "before\nafter\n");
	close(fd);
}

static void test_missing_directory_ends_the_child(void **state)
{
	struct fixture *fixture = *state;
	int status;
	pid_t child;

	survey_safely(fixture);
	child = agent_fork(fixture->agent, "/nonexistent", NULL, 0);
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), AGENT_FAILURE_DIRECTORY);
}

static long count_entries(int fd, size_t at_once)
{
	char *buffer = malloc(at_once);
	long count = 0, got = syscall(SYS_getdents64, fd, buffer, at_once);

	for (long at = 0; at < got; count++) {
		unsigned short length;

		memcpy(&length, buffer + at + 16, sizeof(length));
		at += length;
	}
	free(buffer);
	return count;
}

struct listing {
	int fd;
	long left;
};

static int list_on(struct fixture *fixture, void *data)
{
	struct listing *listing = data;

	(void)fixture;
	return count_entries(listing->fd, 65536) == listing->left ? 0 : 1;
}

static void test_directory_is_listed_on(void **state)
{
	struct fixture *fixture = *state;
	struct listing listing;
	char name[128];
	long first;

	snprintf(name, sizeof(name), "%s/directory", fixture->base);
	assert_int_equal(mkdir(name, 0700), 0);
	listing.fd = open(name, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%d", i);
		close(openat(listing.fd, name, O_WRONLY | O_CREAT, 0600));
	}
	first = count_entries(listing.fd, 200);
	assert_in_range(first, 1, 21);
	listing.left = 22 - first;
	survey_safely(fixture);
	for (int i = 0; i < 3; i++)
		assert_int_equal(restore(fixture, list_on, &listing), 0);
	assert_int_equal(count_entries(listing.fd, 65536), listing.left);
	close(listing.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_output_continues_in_the_new_world),
		TEST(test_state_does_not_change_the_survey),
		TEST(test_shared_memory_is_cloned),
		TEST(test_epoll_instance_is_rebuilt),
		TEST(test_new_descriptors_are_hazards),
		TEST(test_threads_and_timers_are_hazards),
		TEST(test_processes_of_its_own_are_hazards),
		TEST(test_mapped_file_elsewhere_is_a_hazard),
		TEST(test_a_copy_can_be_parked_itself),
		TEST(test_directory_is_listed_on),
		TEST(test_missing_directory_ends_the_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
