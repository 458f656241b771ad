/* The agent without MPI: this process is a rank that is frozen and copied. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ckpt/agent.h"
#include "ckpt/clone_plan.h"

struct fixture {
	char base[64]; /* holds old/, new1/, new2/ */
	char world[96];
	char file[96];
	struct agent *agent;
	int worlds;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	int fd;

	strcpy(fixture->base, "/dev/shm/matchpoint-test-XXXXXX");
	assert_non_null(mkdtemp(fixture->base));
	snprintf(fixture->world, sizeof(fixture->world), "%s/old", fixture->base);
	snprintf(fixture->file, sizeof(fixture->file), "%s/file", fixture->base);
	assert_int_equal(mkdir(fixture->world, 0700), 0);
	fd = open(fixture->world, O_RDONLY | O_DIRECTORY);
	assert_int_equal(dup2(fd, AGENT_WORLD_FD), AGENT_WORLD_FD);
	close(fd);
	fixture->agent = agent_new(-1, -1);
	assert_non_null(fixture->agent);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char command[128];

	agent_free(fixture->agent);
	close(AGENT_WORLD_FD);
	snprintf(command, sizeof(command), "rm -rf %s", fixture->base);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

/* Carries `body` out in a restored copy of this process; how it ended. */
static int restore(struct fixture *fixture, int (*body)(struct fixture *, void *), void *data)
{
	const struct agent_mapping *mappings;
	size_t count = agent_mappings(fixture->agent, &mappings);
	struct clone_plan *plan = clone_plan_new(1, fixture->world);
	const struct agent_clone *clones;
	char world[128];
	int status;
	pid_t child;

	snprintf(world, sizeof(world), "%s/new%d", fixture->base, ++fixture->worlds);
	assert_int_equal(mkdir(world, 0700), 0);
	clone_plan_add(plan, 0, getpid(), mappings, count);
	assert_true(clone_plan_write(plan, world, NULL));
	count = clone_plan_rank(plan, 0, &clones);
	child = agent_fork(fixture->agent, world, clones, count);
	if (child == 0)
		_exit(body(fixture, data));
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	clone_plan_free(plan);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void put_text(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void assert_file(const char *directory, const char *name, const char *expected)
{
	char path[256], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", directory, name);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

static void survey_safely(struct fixture *fixture)
{
	assert_int_equal(agent_survey(fixture->agent), 0);
	if (agent_hazard(fixture->agent))
		fail_msg("unexpected hazard: %s", agent_hazard(fixture->agent));
}

static int write_more(struct fixture *fixture, void *data)
{
	int fd = *(int *)data;

	(void)fixture;
	if (lseek(fd, 0, SEEK_CUR) != 5)
		return 1;
	return write(fd, " and more", 9) == 9 ? 0 : 2;
}

static void test_written_file_is_put_back(void **state)
{
	struct fixture *fixture = *state;
	int fd = open(fixture->file, O_RDWR | O_CREAT, 0600);

	put_text(fd, "hello");
	survey_safely(fixture);
	assert_int_equal(restore(fixture, write_more, &fd), 0);
	assert_file(fixture->file, "", "hello and more");
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
	assert_int_equal(restore(fixture, write_more, &fd), 0);
	assert_file(fixture->file, "", "hello and more");
	put_text(fd, "!");
	assert_file(fixture->file, "", "hello!and more");
	close(fd);
}

static int append_more(struct fixture *fixture, void *data)
{
	(void)fixture;
	return write(*(int *)data, "+", 1) == 1 ? 0 : 1;
}

static void test_appended_file_is_put_back(void **state)
{
	struct fixture *fixture = *state;
	int fd = open(fixture->file, O_WRONLY | O_CREAT | O_APPEND, 0600);

	put_text(fd, "log");
	survey_safely(fixture);
	for (int i = 0; i < 3; i++)
		assert_int_equal(restore(fixture, append_more, &fd), 0);
	assert_file(fixture->file, "", "log+");
	close(fd);
}

static int read_on(struct fixture *fixture, void *data)
{
	char next[4] = "";

	(void)fixture;
	return read(*(int *)data, next, 3) == 3 && !strcmp(next, "def") ? 0 : 1;
}

static void test_read_offset_is_kept_apart(void **state)
{
	struct fixture *fixture = *state;
	char first[3];
	int fd = open(fixture->file, O_RDWR | O_CREAT, 0600);

	put_text(fd, "abcdefghi");
	close(fd);
	fd = open(fixture->file, O_RDONLY);
	assert_int_equal(unlink(fixture->file), 0);
	assert_int_equal(read(fd, first, 3), 3);
	survey_safely(fixture);
	assert_int_equal(restore(fixture, read_on, &fd), 0);
	assert_int_equal(restore(fixture, read_on, &fd), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 3);
	close(fd);
}

static void test_temporary_file_is_put_back(void **state)
{
	struct fixture *fixture = *state;
	FILE *file = tmpfile();
	int fd = fileno(file);

	put_text(fd, "hello");
	survey_safely(fixture);
	assert_int_equal(restore(fixture, write_more, &fd), 0);
	assert_int_equal(restore(fixture, write_more, &fd), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
	fclose(file);
}

static int write_both(struct fixture *fixture, void *data)
{
	int *fds = data;

	(void)fixture;
	return write(fds[0], "a", 1) == 1 && write(fds[1], "b", 1) == 1 ? 0 : 1;
}

static void test_copied_descriptors_share_their_offset(void **state)
{
	struct fixture *fixture = *state;
	int fds[2];

	fds[0] = open(fixture->file, O_WRONLY | O_CREAT, 0600);
	fds[1] = dup(fds[0]);
	survey_safely(fixture);
	assert_int_equal(restore(fixture, write_both, fds), 0);
	assert_file(fixture->file, "", "ab");
	close(fds[0]);
	close(fds[1]);
}

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
	assert_int_equal(ftruncate(fd, 100), 0); /* the rest of the page is memory all the same */
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
	assert_hazard(fixture, "pipe");
	close(pair[0]);
	close(pair[1]);
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
	assert_hazard(fixture, "1 thread of its own");
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

static int freeze_again(struct fixture *fixture, void *data)
{
	strcpy(fixture->world + strlen(fixture->base), "/new1");
	if (agent_survey(fixture->agent) < 0 || agent_hazard(fixture->agent))
		return 1;
	return restore(fixture, print_more, data);
}

static void test_a_copy_can_be_frozen_itself(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/out.0", fixture->world);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	put_text(fd, "before\n");
	survey_safely(fixture);
	assert_int_equal(restore(fixture, freeze_again, &fd), 0);
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
	assert_int_equal(WEXITSTATUS(status), AGENT_SETUP_FAILED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_written_file_is_put_back),
		TEST(test_appended_file_is_put_back),
		TEST(test_read_offset_is_kept_apart),
		TEST(test_temporary_file_is_put_back),
		TEST(test_copied_descriptors_share_their_offset),
		TEST(test_output_continues_in_the_new_world),
		TEST(test_shared_memory_is_cloned),
		TEST(test_epoll_instance_is_rebuilt),
		TEST(test_new_descriptors_are_hazards),
		TEST(test_threads_and_timers_are_hazards),
		TEST(test_processes_of_its_own_are_hazards),
		TEST(test_mapped_file_elsewhere_is_a_hazard),
		TEST(test_a_copy_can_be_frozen_itself),
		TEST(test_missing_directory_ends_the_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
