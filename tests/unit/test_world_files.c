/* Files that are kept mapped: which file has a name now, its contents, its holes. */
#include "ckpt/world_files.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, PAGES = 5 };

struct fixture {
	char *path;
	int directory;
	struct world_files *files;
};

static int set_up_in(void **state, const char *place)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->path = g_mkdtemp(g_strdup_printf("%s/matchpoint-test-XXXXXX", place));
	assert_non_null(fixture->path);
	fixture->directory = open(fixture->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fixture->files = world_files_new();
	*state = fixture;
	return 0;
}

static int set_up(void **state)
{
	return set_up_in(state, "/dev/shm");
}

static int set_up_on_disk(void **state)
{
	return set_up_in(state, "/var/tmp");
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *command = g_strdup_printf("rm -rf %s", fixture->path);
	int result;

	world_files_free(fixture->files);
	close(fixture->directory);
	result = system(command);
	g_free(fixture->path);
	g_free(fixture);
	return result;
}

static void write_file(const struct fixture *fixture, const char *name, off_t size,
                       const char *text, off_t at)
{
	int fd = openat(fixture->directory, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
	close(fd);
}

static bool find(const struct fixture *fixture, const char *name, struct world_file *ret)
{
	return world_files_find(fixture->files, fixture->directory, name, ret);
}

static void test_writes_are_seen_and_holes_are_found(void **state)
{
	const struct fixture *fixture = *state;
	struct world_file file;

	write_file(fixture, "one", PAGES * PAGE, "first", 2 * PAGE + 7);
	assert_true(find(fixture, "one", &file));
	assert_int_equal(file.size, PAGES * PAGE);
	assert_memory_equal(file.bytes + 2 * PAGE + 7, "first", 5);
	for (int i = 0; i < PAGES; i++)
		assert_int_equal(file.holds[i] & 1, i == 2);
	write_file(fixture, "one", PAGES * PAGE, "later", 4 * PAGE);
	assert_true(find(fixture, "one", &file));
	assert_memory_equal(file.bytes + 4 * PAGE, "later", 5);
	assert_int_equal(file.holds[4] & 1, 1);
	assert_int_equal(file.holds[3] & 1, 0);
}

static void test_put_writes_the_file(void **state)
{
	const struct fixture *fixture = *state;
	struct world_file file;
	char got[6] = "";
	int fd;

	write_file(fixture, "one", PAGE, "first", 0);
	assert_true(find(fixture, "one", &file));
	memcpy(file.bytes, "other", 5);
	fd = openat(fixture->directory, "one", O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, got, 5, 0), 5);
	close(fd);
	assert_string_equal(got, "other");
}

static void test_a_name_finds_its_present_file(void **state)
{
	const struct fixture *fixture = *state;
	struct world_file first, second, cut;

	write_file(fixture, "one", PAGE, "first", 0);
	assert_true(find(fixture, "one", &first));
	assert_int_equal(unlinkat(fixture->directory, "one", 0), 0);
	assert_false(find(fixture, "one", &second));
	write_file(fixture, "one", PAGE, "second", 0);
	assert_true(find(fixture, "one", &second));
	assert_int_not_equal(first.inode, second.inode);
	assert_memory_equal(second.bytes, "second", 6);
	write_file(fixture, "one", 3 * PAGE + 1, "longer", 3 * PAGE - 5);
	assert_true(find(fixture, "one", &cut));
	assert_int_equal(cut.inode, second.inode);
	assert_int_equal(cut.size, 3 * PAGE + 1);
	assert_memory_equal(cut.bytes + 3 * PAGE - 5, "longer", 6);
	world_files_clear(fixture->files);
	assert_true(find(fixture, "one", &cut));
	assert_memory_equal(cut.bytes + 3 * PAGE - 5, "longer", 6);
}

static void test_files_that_cannot_be_mapped_are_not_found(void **state)
{
	const struct fixture *fixture = *state;
	struct world_file file;

	write_file(fixture, "empty", 0, "", 0);
	write_file(fixture, "large", (off_t)WORLD_FILE_MOST + 1, "x", 0);
	write_file(fixture, "largest", (off_t)WORLD_FILE_MOST, "x", 0);
	assert_int_equal(symlinkat("largest", fixture->directory, "link"), 0);
	assert_false(find(fixture, "empty", &file));
	assert_false(find(fixture, "large", &file));
	assert_false(find(fixture, "link", &file));
	assert_false(find(fixture, ".", &file));
	assert_true(find(fixture, "largest", &file));
}

static void test_on_a_disk_nothing_is_mapped(void **state)
{
	const struct fixture *fixture = *state;
	struct world_file file;
	struct statfs system;

	if (statfs(fixture->path, &system) == 0 && system.f_type == TMPFS_MAGIC)
		skip(); /* a machine without a disk */
	write_file(fixture, "one", PAGE, "first", 0);
	assert_false(find(fixture, "one", &file));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_writes_are_seen_and_holes_are_found),
		TEST(test_put_writes_the_file),
		TEST(test_a_name_finds_its_present_file),
		TEST(test_files_that_cannot_be_mapped_are_not_found),
		cmocka_unit_test_setup_teardown(test_on_a_disk_nothing_is_mapped, set_up_on_disk,
	                                        tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
