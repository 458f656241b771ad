/* room: host. What the local host answers about the output of ranks. */
#include "scheduler/host/local.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "ckpt/agent.h"

struct fixture {
	struct host *host;
	char *directory; /* of the world: below the run directory, which lies below its place */
	guint answers;
	struct host_output output;
	struct host_room room;
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);
	g_autofree char *place = g_mkdtemp(g_strdup("/tmp/mp-output-XXXXXX"));

	fixture->host = local_new();
	fixture->directory = g_build_filename(place, "run", "w1", NULL);
	*state = fixture;
	return g_mkdir_with_parents(fixture->directory, 0700);
}

static void forget(struct fixture *fixture)
{
	host_output_clear(&fixture->output);
	g_clear_pointer(&fixture->room.place, g_free);
	fixture->answers = 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *run = g_path_get_dirname(fixture->directory);
	g_autofree char *place = g_path_get_dirname(run);

	forget(fixture);
	local_free(fixture->host);
	assert_int_equal(g_rmdir(fixture->directory), 0);
	assert_int_equal(g_rmdir(run), 0);
	assert_int_equal(g_rmdir(place), 0);
	g_free(fixture->directory);
	g_free(fixture);
	return 0;
}

static void on_output(void *user, struct host_output output)
{
	struct fixture *fixture = user;

	fixture->output = output;
	fixture->answers++;
}

static void on_room(void *user, struct host_room room)
{
	struct fixture *fixture = user;

	fixture->room = room;
	fixture->answers++;
}

static const struct host_output *ask_for(struct fixture *fixture, const struct host_range *range)
{
	forget(fixture);
	fixture->host->operations->rank_output(fixture->host, range, on_output, fixture);
	assert_int_equal(fixture->answers, 1); /* this host answers at once */
	assert_non_null(fixture->output.bytes);
	return &fixture->output;
}

static const struct host_output *ask(struct fixture *fixture, enum host_stream stream, guint64 from,
                                     guint64 most)
{
	const struct host_range range = {.directory = fixture->directory,
	                                 .rank = 3,
	                                 .stream = stream,
	                                 .from = from,
	                                 .most = most};

	return ask_for(fixture, &range);
}

static char *file_of(const struct fixture *fixture, const char *name)
{
	return g_build_filename(fixture->directory, name, NULL);
}

static void expect(const struct host_output *output, const char *text, guint64 size)
{
	gsize length;
	const char *bytes = g_bytes_get_data(output->bytes, &length);

	assert_null(output->lost);
	assert_int_equal(output->size, size);
	assert_int_equal(length, strlen(text));
	if (length > 0)
		assert_memory_equal(bytes, text, length);
}

static void any_part_is_read(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *out = file_of(fixture, "out.3"), *err = file_of(fixture, "err.3");

	assert_true(g_file_set_contents(out, "one two", -1, NULL));
	assert_true(g_file_set_contents(err, "", -1, NULL));
	expect(ask(fixture, HOST_STREAM_OUTPUT, 0, G_MAXUINT64), "one two", 7);
	expect(ask(fixture, HOST_STREAM_OUTPUT, 4, G_MAXUINT64), "two", 7);
	expect(ask(fixture, HOST_STREAM_OUTPUT, 2, 3), "e t", 7);
	expect(ask(fixture, HOST_STREAM_OUTPUT, 2, 0), "", 7);
	expect(ask(fixture, HOST_STREAM_OUTPUT, 7, 9), "", 7);
	expect(ask(fixture, HOST_STREAM_OUTPUT, G_MAXUINT64, 9), "", 7);
	expect(ask(fixture, HOST_STREAM_ERRORS, 0, G_MAXUINT64), "", 0);
	assert_int_equal(g_unlink(out), 0);
	assert_int_equal(g_unlink(err), 0);
}

static void what_is_not_there_is_lost(void **state)
{
	struct fixture *fixture = *state;
	const struct host_output *output = ask(fixture, HOST_STREAM_OUTPUT, 0, G_MAXUINT64);
	g_autofree char *out = file_of(fixture, "out.3");

	assert_non_null(strstr(output->lost, out));
	assert_int_equal(g_bytes_get_size(output->bytes), 0);
	assert_int_equal(g_mkdir(out, 0700), 0); /* no file */
	output = ask(fixture, HOST_STREAM_OUTPUT, 0, G_MAXUINT64);
	assert_true(output->lost || output->size > 0);
	assert_int_equal(g_bytes_get_size(output->bytes), 0);
	assert_int_equal(g_rmdir(out), 0);
}

/* However much a rank has printed, no more is read of it. That it is cut can be seen later. */
static void the_end_is_read(void **state)
{
	struct fixture *fixture = *state;
	const struct host_range end = {.directory = fixture->directory,
	                               .rank = 3,
	                               .stream = HOST_STREAM_ERRORS,
	                               .most = 9,
	                               .last = true};
	g_autofree char *err = file_of(fixture, "err.3");

	assert_non_null(ask_for(fixture, &end)->lost);
	assert_true(g_file_set_contents(err, "", -1, NULL));
	expect(ask_for(fixture, &end), "", 0);
	assert_true(g_file_set_contents(err, "short", -1, NULL));
	expect(ask_for(fixture, &end), "short", 5);
	assert_true(g_file_set_contents(err, "...the ERROR", -1, NULL));
	assert_int_equal(g_chmod(err, S_IRUSR), 0);
	expect(ask_for(fixture, &end), "the ERROR", 12);
	assert_false(fixture->output.cut);
	assert_true(ask(fixture, HOST_STREAM_ERRORS, 0, G_MAXUINT64)->cut);
	assert_int_equal(g_unlink(err), 0);
}

/* The rank has taken the permission to write away. That holds for this interleaving alone. */
static void a_mark_is_seen_once(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *out = file_of(fixture, "out.3");
	struct stat status;

	assert_true(g_file_set_contents(out, "half", -1, NULL));
	assert_int_equal(chmod(out, S_IRUSR), 0);
	assert_true(ask(fixture, HOST_STREAM_OUTPUT, 0, G_MAXUINT64)->cut);
	expect(&fixture->output, "half", 4);
	assert_int_equal(stat(out, &status), 0);
	assert_true(status.st_mode & S_IWUSR);
	assert_false(ask(fixture, HOST_STREAM_OUTPUT, 0, G_MAXUINT64)->cut);
	assert_int_equal(g_unlink(out), 0);
}

/* Messages name the place that was chosen: of the directory on the disk, if there is one. */
static void the_place_is_named(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *out = file_of(fixture, "out.3"), *link = file_of(fixture, AGENT_OUTPUT);
	g_autofree char *run = g_path_get_dirname(fixture->directory);
	g_autofree char *place = g_path_get_dirname(run);

	assert_true(g_file_set_contents(out, "", -1, NULL));
	assert_string_equal(ask(fixture, HOST_STREAM_OUTPUT, 0, 0)->place, place);
	assert_false(fixture->output.on_disk);
	assert_int_equal(symlink("/disk/store/run/w1", link), 0);
	assert_string_equal(ask(fixture, HOST_STREAM_OUTPUT, 0, 0)->place, "/disk/store");
	assert_true(fixture->output.on_disk);
	assert_int_equal(g_unlink(link), 0);
	assert_int_equal(g_unlink(out), 0);
}

static void room_is_left(void **state)
{
	struct fixture *fixture = *state;

	fixture->host->operations->room_of(fixture->host, fixture->directory, on_room, fixture);
	assert_int_equal(fixture->answers, 1);
	assert_int_equal(fixture->room.full, HOST_ROOM_LEFT);
	assert_null(fixture->room.place);
	assert_false(fixture->room.on_disk);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(any_part_is_read),    TEST(what_is_not_there_is_lost),
		TEST(a_mark_is_seen_once), TEST(the_place_is_named),
		TEST(room_is_left),        TEST(the_end_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
