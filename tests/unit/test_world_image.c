/* Images of a world's directory: its contents are restored in the same files. */
#include "ckpt/world_image.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ckpt/world_files.h"

enum { PAGE = 4096, PAGES = 40 };

static char directory[64];
static struct world_files *files;

static int make_directory(const char *template)
{
	strcpy(directory, template);
	assert_non_null(mkdtemp(directory));
	files = world_files_new();
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	return make_directory("/dev/shm/matchpoint-test-XXXXXX");
}

/* A directory where files are not mapped, but opened and read. */
static int set_up_on_disk(void **state)
{
	(void)state;
	return make_directory("/var/tmp/matchpoint-test-XXXXXX");
}

static int tear_down(void **state)
{
	g_autofree char *command = g_strdup_printf("rm -rf %s", directory);

	(void)state;
	world_files_free(files);
	return system(command);
}

static int open_file(const char *name)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	return fd;
}

static void put(int fd, const char *text, off_t offset)
{
	assert_int_equal(pwrite(fd, text, strlen(text), offset), strlen(text));
}

static void expect(int fd, const char *text, off_t offset)
{
	char got[32] = "";

	assert_int_equal(pread(fd, got, strlen(text), offset), strlen(text));
	assert_string_equal(got, text);
}

static struct world_image *take(const struct world_image *before)
{
	GError *error = NULL;
	struct world_image *image = world_image_take(directory, before, files, &error);

	assert_null(error);
	return image;
}

static void put_back(const struct world_image *image)
{
	assert_true(world_image_put(image, directory, files, NULL));
}

static off_t size_of(int fd)
{
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	return status.st_size;
}

static void test_contents_are_restored(void **state)
{
	int shared = open_file("clone.0"), out = open_file("out.1");
	struct world_image *first, *second;

	(void)state;
	assert_int_equal(ftruncate(shared, PAGES * PAGE), 0);
	put(shared, "one", 0);
	put(shared, "far", 30 * PAGE + 17);
	put(out, "said", 0);
	first = take(NULL);
	put(shared, "two", 0);
	put(shared, "new", 7 * PAGE);
	put(shared, "\0\0\0", 30 * PAGE + 17);
	put(out, " more", 4);
	second = take(first);
	put(shared, "three", 0);
	put(shared, "hole", 20 * PAGE);
	put_back(first);
	expect(shared, "one", 0);
	expect(shared, "far", 30 * PAGE + 17);
	assert_int_equal(size_of(shared), PAGES * PAGE);
	assert_int_equal(size_of(out), 4);
	put_back(second);
	expect(shared, "two", 0);
	expect(shared, "new", 7 * PAGE);
	expect(out, "said more", 0);
	world_image_free(first);
	put(shared, "wrong", 0);
	put_back(second);
	expect(shared, "two", 0);
	world_image_free(second);
	close(shared);
	close(out);
}

static void test_other_files_are_removed_and_names_restored(void **state)
{
	g_autofree char *from = g_build_filename(directory, "clone.3", NULL);
	g_autofree char *name = g_build_filename(directory, "segment", NULL);
	g_autofree char *other = g_build_filename(directory, "late", NULL);
	int shared = open_file("clone.3");
	struct world_image *image;
	struct stat one, two;

	(void)state;
	put(shared, "x", 0);
	assert_int_equal(link(from, name), 0);
	image = take(NULL);
	assert_int_equal(unlink(name), 0);
	close(open_file("late"));
	put_back(image);
	assert_int_equal(access(other, F_OK), -1);
	assert_int_equal(stat(from, &one), 0);
	assert_int_equal(stat(name, &two), 0);
	assert_int_equal(one.st_ino, two.st_ino);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(unlink(from), 0);
	close(open_file("clone.3"));
	assert_false(world_image_put(image, directory, files, NULL)); /* ranks map another file */
	world_image_free(image);
	close(shared);
}

/* Output lies in another directory, and only links to it in the world's. */
static void test_output_elsewhere_is_restored(void **state)
{
	g_autofree char *place = g_dir_make_tmp("mp-output-XXXXXX", NULL);
	g_autofree char *link = g_build_filename(directory, "output", NULL);
	g_autofree char *out = g_build_filename(directory, "out.0", NULL);
	g_autofree char *err = g_build_filename(directory, "err.0", NULL);
	g_autofree char *file = g_build_filename(place, "out.0", NULL);
	g_autofree char *other = g_build_filename(place, "err.0", NULL);
	struct world_image *image;
	int printed;

	(void)state;
	assert_int_equal(symlink(place, link), 0);
	assert_int_equal(symlink("output/out.0", out), 0);
	assert_int_equal(symlink("output/err.0", err), 0);
	printed = open_file("out.0");
	put(printed, "said", 0);
	image = take(NULL);
	put(printed, "else and more", 0);
	close(open_file("err.0"));
	put_back(image);
	expect(printed, "said", 0);
	assert_int_equal(size_of(printed), 4);
	assert_int_equal(access(other, F_OK), -1); /* it was not there */
	for (int i = 0; i < 3; i++)
		assert_true(g_file_test(i == 0   ? link
		                        : i == 1 ? out
		                                 : err,
		                        G_FILE_TEST_IS_SYMLINK));
	assert_int_equal(unlink(file), 0);
	put_back(image);
	assert_int_equal(access(file, F_OK), 0);
	world_image_free(image);
	close(printed);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(place), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_contents_are_restored, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_contents_are_restored, set_up_on_disk,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_output_elsewhere_is_restored, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_other_files_are_removed_and_names_restored,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_files_are_removed_and_names_restored,
	                                        set_up_on_disk, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
