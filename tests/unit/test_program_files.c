/* room: session. Files of the program, whenever the host answers, and as this machine shows
 * them. */
#include "scheduler/session/program_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "scheduler/host/local.h"

/* A host that answers when it is run. */
struct fake {
	struct host base;
	void (*file_done)(void *user, struct host_file file);
	void (*contents_done)(void *user, GBytes *contents);
	void *user;
	guint iterations;
};

static void file_look(struct host *host, const char *path,
                      void (*done)(void *user, struct host_file file), void *user)
{
	struct fake *fake = (struct fake *)host;

	assert_string_equal(path, "/there");
	fake->file_done = done;
	fake->user = user;
}

static void file_read(struct host *host, const char *path, guint64 most,
                      void (*done)(void *user, GBytes *contents), void *user)
{
	struct fake *fake = (struct fake *)host;

	assert_string_equal(path, "/there");
	assert_int_equal(most, 7);
	fake->contents_done = done;
	fake->user = user;
}

static struct host_timer *timer_new(struct host *host, void (*expired)(void *user), void *user)
{
	(void)expired;
	(void)user;
	return (struct host_timer *)host;
}

static void timer_free(struct host_timer *timer)
{
	(void)timer;
}

static void iterate(struct host *host)
{
	struct fake *fake = (struct fake *)host;

	if (++fake->iterations < 3)
		return;
	if (fake->file_done)
		fake->file_done(fake->user, (struct host_file){.is_there = true, .size = 12});
	else
		fake->contents_done(fake->user, g_bytes_new_static("text", 4));
}

static const struct host_operations operations = {.file_look = file_look,
                                                  .file_read = file_read,
                                                  .timer_new = timer_new,
                                                  .timer_free = timer_free,
                                                  .iterate = iterate};

static void test_waits_for_the_answer(void **state)
{
	struct fake looks = {.base.operations = &operations};
	struct fake reads = {.base.operations = &operations};
	g_autoptr(GBytes) contents = NULL;

	(void)state;
	assert_int_equal(program_file_look(&looks.base, "/there").size, 12);
	assert_int_equal(looks.iterations, 3);
	contents = program_file_read(&reads.base, "/there", 7);
	assert_int_equal(g_bytes_get_size(contents), 4);
	assert_int_equal(reads.iterations, 3);
}

static void expect_contents(struct host *host, const char *path, guint64 most, const char *expected)
{
	g_autoptr(GBytes) contents = program_file_read(host, path, most);

	if (!expected) {
		assert_null(contents);
		return;
	}
	assert_non_null(contents);
	assert_int_equal(g_bytes_get_size(contents), strlen(expected));
	assert_memory_equal(g_bytes_get_data(contents, NULL), expected, strlen(expected));
}

static void test_this_machine(void **state)
{
	struct host *host = local_new();
	g_autofree char *directory = g_mkdtemp(g_strdup("/tmp/mp-files-XXXXXX"));
	g_autofree char *file = g_build_filename(directory, "file", NULL);
	g_autofree char *link = g_build_filename(directory, "link", NULL);
	g_autofree char *loose = g_build_filename(directory, "loose", NULL);
	struct host_file of_file, of_link, of_loose, of_nothing;

	(void)state;
	assert_true(g_file_set_contents(file, "hello", -1, NULL));
	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(symlink("nowhere", loose), 0);
	of_file = program_file_look(host, file);
	of_link = program_file_look(host, link);
	of_loose = program_file_look(host, loose);
	assert_true(of_file.is_there && of_file.is_regular && !of_file.is_link);
	assert_int_equal(of_file.size, 5);
	assert_true(of_link.is_there && of_link.is_regular && of_link.is_link);
	assert_int_equal(of_link.inode, of_file.inode);
	assert_string_equal(of_link.real, of_file.real);
	assert_true(of_loose.is_there && of_loose.is_link && !of_loose.is_regular);
	assert_null(of_loose.real);
	expect_contents(host, file, 5, "hello");
	assert_false(program_file_is_there(host, "/no/such/file"));
	of_nothing = program_file_look(host, "/no/such/file");
	assert_null(of_nothing.real);
	expect_contents(host, "/no/such/file", 5, NULL);
	g_free(of_file.real);
	g_free(of_link.real);
	g_unlink(file);
	g_unlink(link);
	g_unlink(loose);
	assert_int_equal(g_rmdir(directory), 0);
	local_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_for_the_answer),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
