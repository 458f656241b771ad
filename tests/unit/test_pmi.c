#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "scheduler/host/pmi.h"

struct fixture {
	uv_loop_t loop;
	char *directory, *path;
	struct pmi_server *server;
	guint32 aborted_world;
	int aborted_rank, exit_code;
	pid_t stranger;
};

static void on_abort(void *user, guint32 world, int rank, int exit_code)
{
	struct fixture *fixture = user;

	fixture->aborted_world = world;
	fixture->aborted_rank = rank;
	fixture->exit_code = exit_code;
}

static int two_ranks(void *user, guint32 world)
{
	(void)user;
	(void)world;
	return 2;
}

static void on_stranger(void *user, pid_t pid)
{
	struct fixture *fixture = user;

	fixture->stranger = pid;
}

static int seven(void *user)
{
	(void)user;
	return 7;
}

static const struct pmi_handler handler = {
	.abort = on_abort, .ranks = two_ranks, .universe = seven, .stranger = on_stranger};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	uv_loop_init(&fixture->loop);
	fixture->directory = g_dir_make_tmp("mp-XXXXXX", NULL);
	fixture->path = g_build_filename(fixture->directory, "pmi", NULL);
	fixture->server = pmi_server_new(&fixture->loop, fixture->path, &handler, fixture, NULL);
	assert_non_null(fixture->server);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	pmi_server_close(fixture->server);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&fixture->loop), 0);
	assert_int_equal(g_rmdir(fixture->directory), 0);
	g_free(fixture->directory);
	g_free(fixture->path);
	g_free(fixture);
	return 0;
}

static void turn(struct fixture *fixture)
{
	for (int i = 0; i < 5; i++)
		uv_run(&fixture->loop, UV_RUN_NOWAIT);
}

static void say(struct fixture *fixture, int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	turn(fixture);
}

static int join(struct fixture *fixture, const char *greeting)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	g_strlcpy(address.sun_path, fixture->path, sizeof(address.sun_path));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	say(fixture, fd, greeting);
	return fd;
}

static void expect(int fd, const char *expected)
{
	char text[512] = "";
	ssize_t got = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (!*expected)
		assert_int_equal(got, -1);
	else
		assert_string_equal(text, expected);
}

static void test_a_barrier_waits_only_for_its_world(void **state)
{
	struct fixture *fixture = *state;
	int first = join(fixture, "matchpoint world=1 rank=0\n");
	int second = join(fixture, "matchpoint world=1 rank=1\n");
	int stranger = join(fixture, "matchpoint world=2 rank=1\n");

	for (int round = 0; round < 2; round++) {
		say(fixture, first, "cmd=barrier_in\n");
		if (!round)
			say(fixture, stranger, "cmd=barrier_in\n");
		expect(first, "");
		say(fixture, second, "cmd=barrier_in\n");
		expect(first, "cmd=barrier_out\n");
		expect(second, "cmd=barrier_out\n");
		expect(stranger, "");
	}
	close(first);
	close(second);
	close(stranger);
}

static void test_lines_may_come_in_pieces(void **state)
{
	struct fixture *fixture = *state;
	int fd = join(fixture, "matchpoint wor");

	say(fixture, fd, "ld=7 rank=3\ncmd=fin");
	expect(fd, "");
	say(fixture, fd, "alize\ncmd=get_universe_size\n");
	expect(fd, "cmd=finalize_ack\ncmd=universe_size size=7\n");
	close(fd);
}

static void test_abort_is_reported_and_not_answered(void **state)
{
	struct fixture *fixture = *state;
	int fd = join(fixture, "matchpoint world=7 rank=3\ncmd=abort exitcode=42\n");

	assert_int_equal(fixture->aborted_world, 7);
	assert_int_equal(fixture->aborted_rank, 3);
	assert_int_equal(fixture->exit_code, 42);
	expect(fd, "");
	close(fd);
}

static void test_values_belong_to_a_world(void **state)
{
	struct fixture *fixture = *state;
	int first = join(fixture, "matchpoint world=1 rank=0\n");
	int second = join(fixture, "matchpoint world=2 rank=0\n");

	say(fixture, first, "cmd=put kvsname=k key=a value=b=c\n");
	expect(first, "cmd=put_result rc=0 msg=success\n");
	say(fixture, first, "cmd=get kvsname=k key=a\n");
	expect(first, "cmd=get_result rc=0 msg=success value=b=c\n");
	say(fixture, second, "cmd=get kvsname=k key=a\n");
	expect(second, "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
	say(fixture, second, "cmd=get kvsname=k key=PMI_process_mapping\n");
	expect(second, "cmd=get_result rc=0 msg=success value=(vector,(0,1,2))\n");
	pmi_server_forget(fixture->server, 1);
	turn(fixture);
	assert_int_equal(recv(first, &(char){0}, 1, MSG_DONTWAIT), 0);
	close(first);
	close(second);
}

#define NOT_FOUND " info=unknown_service rc=1 msg=service_not_found\n"
#define SUCCESS " info=ok rc=0 msg=success"

static void test_names_are_published_in_a_world(void **state)
{
	struct fixture *fixture = *state;
	int first = join(fixture, "matchpoint world=1 rank=0\n");
	int second = join(fixture, "matchpoint world=1 rank=1\n");
	int stranger = join(fixture, "matchpoint world=2 rank=0\n");

	say(fixture, second, "cmd=lookup_name service=s\n");
	expect(second, "cmd=lookup_result" NOT_FOUND);
	say(fixture, first, "cmd=publish_name service=s port=tag#0$port#1=2$\n");
	expect(first, "cmd=publish_result" SUCCESS "\n");
	say(fixture, second, "cmd=lookup_name service=s\n");
	expect(second, "cmd=lookup_result" SUCCESS " port=tag#0$port#1=2$\n");
	say(fixture, stranger, "cmd=lookup_name service=s\n");
	expect(stranger, "cmd=lookup_result" NOT_FOUND);
	say(fixture, second, "cmd=publish_name service=s port=other\n");
	expect(second, "cmd=publish_result info=refused rc=1 msg=key_already_present\n");
	say(fixture, second, "cmd=unpublish_name service=s\n");
	expect(second, "cmd=unpublish_result" SUCCESS "\n");
	say(fixture, second, "cmd=unpublish_name service=s\ncmd=lookup_name service=s\n");
	expect(second, "cmd=unpublish_result" NOT_FOUND "cmd=lookup_result" NOT_FOUND);
	close(first);
	close(second);
	close(stranger);
}

static void test_names_are_kept_for_worlds_that_continue(void **state)
{
	struct fixture *fixture = *state;
	int fd = join(fixture, "matchpoint world=1 rank=0\n");
	const bool stays[] = {true, true};
	GHashTable *names;

	assert_null(pmi_server_names(fixture->server, 1));
	say(fixture, fd, "cmd=publish_name service=s port=p\n");
	expect(fd, "cmd=publish_result" SUCCESS "\n");
	names = pmi_server_names(fixture->server, 1);
	say(fixture, fd, "cmd=publish_name service=later port=p\n");
	expect(fd, "cmd=publish_result" SUCCESS "\n");
	pmi_server_rename(fixture->server, 1, 2, stays, 2);
	say(fixture, fd, "cmd=lookup_name service=s\n");
	expect(fd, "cmd=lookup_result" NOT_FOUND);
	pmi_server_set_names(fixture->server, 2, names);
	say(fixture, fd, "cmd=lookup_name service=s\ncmd=lookup_name service=later\n");
	expect(fd, "cmd=lookup_result" SUCCESS " port=p\ncmd=lookup_result" NOT_FOUND);
	say(fixture, fd, "cmd=unpublish_name service=s\n");
	expect(fd, "cmd=unpublish_result" SUCCESS "\n");
	assert_int_equal(g_hash_table_size(names), 1);
	pmi_server_set_names(fixture->server, 2, NULL);
	assert_null(pmi_server_names(fixture->server, 2));
	g_hash_table_unref(names);
	close(fd);
}

/* Ranks that are rewound go from one world to the next. */
static void test_a_connection_goes_to_another_world(void **state)
{
	struct fixture *fixture = *state;
	int first = join(fixture, "matchpoint world=1 rank=0\n");
	int second = join(fixture, "matchpoint world=1 rank=1\n");
	int late = join(fixture, "matchpoint world=1 rank=1\n");
	const bool stays[] = {true, false};

	say(fixture, first, "cmd=put kvsname=k key=a value=b\n");
	expect(first, "cmd=put_result rc=0 msg=success\n");
	say(fixture, first, "cmd=barrier_in\ncmd=abo");
	pmi_server_rename(fixture->server, 1, 2, stays, 2);
	say(fixture, late, "cmd=abort exitcode=3\n");
	assert_int_equal(recv(late, &(char){0}, 1, MSG_DONTWAIT), 0);
	assert_int_equal(fixture->exit_code, 0);
	say(fixture, second, "matchpoint world=2 rank=1\ncmd=barrier_in\n");
	expect(second, "");
	say(fixture, first, "cmd=get kvsname=k key=a\n");
	expect(first, "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
	say(fixture, first, "cmd=barrier_in\n");
	expect(first, "cmd=barrier_out\n");
	expect(second, "cmd=barrier_out\n");
	say(fixture, first, "cmd=abort exitcode=7\n");
	assert_int_equal(fixture->aborted_world, 2);
	assert_int_equal(fixture->aborted_rank, 0);
	assert_int_equal(fixture->exit_code, 7);
	close(first);
	close(second);
	close(late);
}

static void test_another_version_is_reported_and_not_answered(void **state)
{
	struct fixture *fixture = *state;
	int fd = join(fixture, "matchpoint world=0 rank=1\n");

	say(fixture, fd, "cmd=init pmi_version=1 pmi_subversion=1\n");
	expect(fd, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
	assert_int_equal(fixture->stranger, 0);
	say(fixture, fd, "cmd=init pmi_version=2 pmi_subversion=0\n");
	expect(fd, "");
	assert_int_equal(fixture->stranger, getpid());
	close(fd);
}

static void test_what_is_unknown_is_refused(void **state)
{
	struct fixture *fixture = *state;
	int fd = join(fixture, "matchpoint world=1 rank=0\n");
	int stranger = join(fixture, "cmd=abort exitcode=1\n");

	say(fixture, fd, "cmd=spawn nprocs=2\nnonsense\n");
	expect(fd, "cmd=spawn_result rc=-1 msg=not_supported\n"
	           "cmd=unknown_result rc=-1 msg=not_supported\n");
	assert_int_equal(recv(stranger, &(char){0}, 1, MSG_DONTWAIT), 0);
	assert_int_equal(fixture->exit_code, 0);
	close(fd);
	close(stranger);
}

static void test_a_taken_path_is_an_error(void **state)
{
	struct fixture *fixture = *state;
	GError *error = NULL;

	assert_null(pmi_server_new(&fixture->loop, fixture->path, &handler, fixture, &error));
	assert_non_null(strstr(error->message, fixture->path));
	g_error_free(error);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_barrier_waits_only_for_its_world),
		TEST(test_lines_may_come_in_pieces),
		TEST(test_abort_is_reported_and_not_answered),
		TEST(test_values_belong_to_a_world),
		TEST(test_names_are_published_in_a_world),
		TEST(test_names_are_kept_for_worlds_that_continue),
		TEST(test_a_connection_goes_to_another_world),
		TEST(test_another_version_is_reported_and_not_answered),
		TEST(test_what_is_unknown_is_refused),
		TEST(test_a_taken_path_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
