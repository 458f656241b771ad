/* room: host. Output of worlds is moved to a disk, for worlds that begin from then on. */
#include "scheduler/host/output_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

enum { RANKS = 2 };

struct fixture {
	char *store;
	struct run_directory *run;
	struct output_place *place;
};

static int set_up_at(void **state, const char *parent)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->store = g_mkdtemp(g_strdup("/var/tmp/mp-store-XXXXXX"));
	fixture->run = run_directory_new(RANKS, parent ? parent : fixture->store, NULL);
	fixture->place = output_place_new(fixture->run, RANKS, fixture->store);
	*state = fixture;
	return fixture->store && fixture->run ? 0 : -1;
}

static int set_up(void **state)
{
	return set_up_at(state, "/dev/shm");
}

static int set_up_on_disk(void **state)
{
	return set_up_at(state, NULL);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	output_place_free(fixture->place);
	run_directory_free(fixture->run);
	assert_int_equal(g_rmdir(fixture->store), 0); /* nothing is left behind */
	g_free(fixture->store);
	g_free(fixture);
	return 0;
}

static char *begin(struct fixture *fixture, guint32 world)
{
	char *directory = run_directory_add_world(fixture->run, world, NULL);

	assert_non_null(directory);
	assert_true(output_place_begin(fixture->place, directory, NULL));
	return directory;
}

static void print(const char *directory, const char *text)
{
	g_autofree char *path = g_build_filename(directory, "out.1", NULL);
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void expect(const char *directory, const char *expected)
{
	g_autofree char *path = g_build_filename(directory, "out.1", NULL), *text = NULL;

	if (!expected) {
		assert_int_equal(g_access(path, F_OK), -1);
		return;
	}
	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	assert_string_equal(text, expected);
}

static char *on_disk(const struct fixture *fixture, const char *world)
{
	return g_build_filename(output_place_path(fixture->place), world, NULL);
}

static void test_output_moves_with_the_next_world(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *first = begin(fixture, 1), *second = NULL, *third = NULL;
	g_autofree char *disk = on_disk(fixture, "w2"), *renamed = on_disk(fixture, "w3");

	print(first, "one");
	assert_int_equal(g_access(output_place_path(fixture->place), F_OK), -1);
	assert_true(output_place_use_disk(fixture->place));
	expect(first, "one");
	second = begin(fixture, 2);
	print(second, "two");
	expect(disk, "two");
	third = run_directory_rename_world(fixture->run, 2, 3, NULL);
	assert_true(output_place_renamed(fixture->place, third, 2, NULL));
	assert_true(output_place_begin(fixture->place, third, NULL));
	expect(third, "two");
	expect(renamed, "two");
	output_place_remove(fixture->place, 3);
	expect(third, NULL);
	/* a world that is gone on with in its directory */
	assert_true(output_place_begin(fixture->place, first, NULL));
	expect(first, NULL);
	print(first, "anew");
	g_free(disk);
	disk = on_disk(fixture, "w1");
	expect(disk, "anew");
}

static void test_one_file_system_needs_no_move(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *directory = NULL, *path = output_place_file(fixture->place, "native");

	assert_false(output_place_use_disk(fixture->place));
	directory = begin(fixture, 1);
	print(directory, "one");
	expect(directory, "one");
	assert_true(g_str_has_prefix(path, run_directory_path(fixture->run)));
}

static void test_a_place_that_cannot_be_used(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *directory = NULL;

	/* its name is taken */
	assert_true(g_file_set_contents(output_place_path(fixture->place), "x", 1, NULL));
	assert_false(output_place_use_disk(fixture->place));
	assert_int_equal(g_unlink(output_place_path(fixture->place)), 0);
	assert_false(output_place_use_disk(fixture->place));
	directory = begin(fixture, 1);
	print(directory, "one");
	expect(directory, "one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_output_moves_with_the_next_world, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_one_file_system_needs_no_move, set_up_on_disk,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_a_place_that_cannot_be_used, set_up,
	                                        tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
