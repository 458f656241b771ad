/* This process is the keeper whose memory is cloned. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "ckpt/clone_plan.h"
#include "ckpt/world_files.h"

#define PAGE 4096

struct fixture {
	char *old, *new;
	struct clone_plan *plan;
	struct world_files *files;
};

static int set_up_in(void **state, const char *place)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->old = g_mkdtemp(g_strdup_printf("%s/matchpoint-old-XXXXXX", place));
	fixture->new = g_mkdtemp(g_strdup_printf("%s/matchpoint-new-XXXXXX", place));
	fixture->files = world_files_new();
	assert_non_null(fixture->old);
	assert_non_null(fixture->new);
	fixture->plan = clone_plan_new(2, fixture->old);
	*state = fixture;
	return 0;
}

static int set_up(void **state)
{
	return set_up_in(state, "/dev/shm");
}

/* A directory where files are not mapped, but opened and read. */
static int set_up_on_disk(void **state)
{
	return set_up_in(state, "/var/tmp");
}

static void empty(const char *path)
{
	g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(directory))) {
		g_autofree char *file = g_build_filename(path, name, NULL);

		g_unlink(file);
	}
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	clone_plan_free(fixture->plan);
	world_files_free(fixture->files);
	empty(fixture->old);
	empty(fixture->new);
	g_rmdir(fixture->old);
	g_rmdir(fixture->new);
	g_free(fixture->old);
	g_free(fixture->new);
	g_free(fixture);
	return 0;
}

static int make_file(const char *directory, const char *name, off_t size)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

static char *map(int fd, off_t offset, gsize length, struct agent_mapping *ret_mapping)
{
	struct stat status;
	char *address = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	assert_ptr_not_equal(address, MAP_FAILED);
	assert_int_equal(fstat(fd, &status), 0);
	*ret_mapping = (struct agent_mapping){.start = (uintptr_t)address,
	                                      .length = length,
	                                      .offset = (uint64_t)offset,
	                                      .device = status.st_dev,
	                                      .inode = status.st_ino,
	                                      .protection = PROT_READ | PROT_WRITE};
	return address;
}

/* The number of bytes of a file that are not holes. */
static off_t data_bytes(const char *directory, const char *name)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t bytes = 0, from = 0;

	assert_true(fd >= 0);
	while ((from = lseek(fd, from, SEEK_DATA)) >= 0) {
		off_t to = lseek(fd, from, SEEK_HOLE);
		bytes += to - from;
		from = to;
	}
	close(fd);
	return bytes;
}

static guint8 *contents(const char *directory, const char *name, gsize size)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	char *bytes;
	gsize length;

	assert_true(g_file_get_contents(path, &bytes, &length, NULL));
	assert_int_equal(length, size);
	return (guint8 *)bytes;
}

static void write_clones(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;

	empty(fixture->new);
	if (!clone_plan_write(fixture->plan, fixture->new, &error))
		fail_msg("%s", error->message);
}

static void test_an_object_is_cloned_once_for_all_ranks(void **state)
{
	struct fixture *fixture = *state;
	struct agent_mapping first, second;
	const struct agent_clone *clones;
	int fd = make_file(fixture->old, "segment", 4 * PAGE);
	char *low = map(fd, 0, 2 * PAGE, &first), *high = map(fd, PAGE, 3 * PAGE, &second);
	guint8 *bytes;

	close(fd);
	strcpy(low + PAGE, "one");
	strcpy(high + 2 * PAGE + 10, "three");
	clone_plan_add(fixture->plan, 0, getpid(), &first, 1);
	clone_plan_add(fixture->plan, 1, getpid(), &second, 1);
	write_clones(fixture);

	assert_int_equal(clone_plan_rank(fixture->plan, 1, &clones), 1);
	assert_int_equal(clones[0].start, second.start);
	assert_int_equal(clones[0].offset, PAGE);
	assert_int_equal(clones[0].file, 0);
	assert_int_equal(clone_plan_rank(fixture->plan, 0, &clones), 1);
	assert_int_equal(clones[0].file, 0);
	bytes = contents(fixture->new, "clone.0", 4 * PAGE);
	assert_string_equal((const char *)bytes + PAGE, "one");
	assert_string_equal((const char *)bytes + 3 * PAGE + 10, "three");
	assert_int_equal(data_bytes(fixture->new, "clone.0"), 2 * PAGE);
	g_free(bytes);
	munmap(low, 2 * PAGE);
	munmap(high, 3 * PAGE);
}

static void test_names_lead_to_the_clone(void **state)
{
	struct fixture *fixture = *state;
	struct agent_mapping mapping;
	int fd = make_file(fixture->old, "ucx_shm_posix_1", PAGE);
	char *memory = map(fd, 0, PAGE, &mapping);
	g_autofree char *named = g_build_filename(fixture->new, "ucx_shm_posix_1", NULL);
	g_autofree char *clone = g_build_filename(fixture->new, "clone.0", NULL);
	struct stat by_name, by_number;

	close(fd);
	clone_plan_add(fixture->plan, 0, getpid(), &mapping, 1);
	write_clones(fixture);
	assert_int_equal(stat(named, &by_name), 0);
	assert_int_equal(stat(clone, &by_number), 0);
	assert_int_equal(by_name.st_ino, by_number.st_ino);
	munmap(memory, PAGE);
}

/* UCX creates files that do not end at a page boundary, and uses the rest of the last page. */
static void test_memory_beyond_the_end_of_the_file_is_cloned(void **state)
{
	struct fixture *fixture = *state;
	struct agent_mapping mapping;
	int fd = make_file(fixture->old, "segment", PAGE + 100);
	char *memory = map(fd, 0, 2 * PAGE, &mapping);
	guint8 *bytes;

	close(fd);
	memory[PAGE + 5] = 'i';
	memory[2 * PAGE - 1] = 'b';
	clone_plan_add(fixture->plan, 0, getpid(), &mapping, 1);
	write_clones(fixture);
	bytes = contents(fixture->new, "clone.0", 2 * PAGE);
	assert_int_equal(bytes[PAGE + 5], 'i');
	assert_int_equal(bytes[2 * PAGE - 1], 'b');
	g_free(bytes);
	munmap(memory, 2 * PAGE);
}

static void test_nameless_memory_is_read_from_the_keeper(void **state)
{
	struct fixture *fixture = *state;
	struct agent_mapping mapping;
	int fd = memfd_create("nameless", MFD_CLOEXEC);
	const gsize size = (3 << 20) + PAGE;
	char *memory;
	guint8 *bytes;

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	memory = map(fd, 0, size, &mapping);
	close(fd);
	memset(memory + (1 << 20) - PAGE, 'a', 2 * PAGE);
	memory[size - 1] = 'z';
	clone_plan_add(fixture->plan, 0, getpid(), &mapping, 1);
	write_clones(fixture);
	memset(memory, 0, size);
	write_clones(fixture); /* remembered from the first time */
	bytes = contents(fixture->new, "clone.0", size);
	assert_int_equal(bytes[(1 << 20) - PAGE], 'a');
	assert_int_equal(bytes[(1 << 20) + PAGE - 1], 'a');
	assert_int_equal(bytes[(1 << 20) + PAGE], 0);
	assert_int_equal(bytes[size - 1], 'z');
	assert_int_equal(data_bytes(fixture->new, "clone.0"), 3 * PAGE);
	g_free(bytes);
	munmap(memory, size);
}

static void test_unmapped_files_are_copied(void **state)
{
	struct fixture *fixture = *state;
	int fd = make_file(fixture->old, "out.1", 0);
	guint8 *bytes;

	assert_int_equal(write(fd, "printed\n", 8), 8);
	close(fd);
	close(make_file(fixture->old, "clone.3", PAGE));
	close(make_file(fixture->old, "err.1", 0));
	write_clones(fixture);
	bytes = contents(fixture->new, "out.1", 8);
	assert_memory_equal(bytes, "printed\n", 8);
	g_free(bytes);
	assert_int_equal(g_access(fixture->new, F_OK), 0);
	for (int i = 0; i < 2; i++) {
		g_autofree char *absent = g_build_filename(fixture->new, i ? "clone.3" : "err.1",
		                                           NULL);

		assert_int_equal(g_access(absent, F_OK), -1);
	}
}

static void overwrite(const char *directory, const char *name, off_t at, const char *text,
                      off_t size)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
	if (size >= 0)
		assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

static void remove_name(const char *directory, const char *name)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);

	assert_int_equal(g_unlink(path), 0);
}

static bool are_one(const char *directory, const char *name, const char *other)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	g_autofree char *other_path = g_build_filename(directory, other, NULL);
	struct stat file, other_file;

	return lstat(path, &file) == 0 && lstat(other_path, &other_file) == 0
	       && file.st_ino == other_file.st_ino;
}

static void rewrite_clones(struct fixture *fixture, const guint8 *mapped, gsize size,
                           const guint8 *output)
{
	g_autoptr(GError) error = NULL;
	g_autofree guint8 *again = NULL, *printed = NULL;

	if (!clone_plan_rewrite(fixture->plan, fixture->new, fixture->files, &error))
		fail_msg("%s", error->message);
	again = contents(fixture->new, "clone.0", size);
	printed = contents(fixture->new, "out.1", PAGE + 5);
	assert_memory_equal(again, mapped, size);
	assert_memory_equal(printed, output, PAGE + 5);
	assert_true(are_one(fixture->new, "clone.0", "segment"));
}

/* Data in several places; the world that is over has changed some of it and written more. */
static void check_rewriting(struct fixture *fixture, gsize pages)
{
	const gsize size = pages * PAGE;
	g_autofree guint8 *mapped = NULL, *output = NULL;
	struct agent_mapping mapping;
	int fd = make_file(fixture->old, "segment", (off_t)size);
	char *memory = map(fd, 0, size, &mapping);

	close(fd);
	for (gsize page = 0; page < pages; page += page % 5 ? 1 : 3)
		memory[page * PAGE + page] = 'a';
	overwrite(fixture->old, "out.1", PAGE, "first", -1);
	clone_plan_add(fixture->plan, 0, getpid(), &mapping, 1);
	write_clones(fixture);
	mapped = contents(fixture->new, "clone.0", size);
	output = contents(fixture->new, "out.1", PAGE + 5);

	rewrite_clones(fixture, mapped, size, output);
	overwrite(fixture->new, "clone.0", 3 * PAGE, "was a page with something", -1);
	overwrite(fixture->new, "clone.0", PAGE + 7, "was a hole", -1);
	overwrite(fixture->new, "clone.0", (off_t)size - 4, "last", -1);
	overwrite(fixture->new, "out.1", PAGE + 2, "longer", -1);
	overwrite(fixture->new, "other", 0, "new", -1);
	rewrite_clones(fixture, mapped, size, output);
	overwrite(fixture->new, "clone.0", 0, "cut", 5 * PAGE + 3);
	overwrite(fixture->new, "out.1", 0, "cut", 2);
	rewrite_clones(fixture, mapped, size, output);
	remove_name(fixture->new, "segment");
	rewrite_clones(fixture, mapped, size, output);
	remove_name(fixture->new, "segment");
	overwrite(fixture->new, "segment", 0, "another file", -1);
	rewrite_clones(fixture, mapped, size, output);
	munmap(memory, size);
}

static void test_a_used_world_is_rewritten(void **state)
{
	check_rewriting(*state, 40);
}

static void test_a_large_world_is_rewritten(void **state)
{
	check_rewriting(*state, 700);
}

static void expect_file(const char *directory, const char *name, const char *expected)
{
	g_autofree char *path = g_build_filename(directory, name, NULL), *text = NULL;

	if (!expected) {
		assert_int_equal(g_access(path, F_OK), -1);
		return;
	}
	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	assert_string_equal(text, expected);
}

/* Output of the new world lies in another directory, and only links to it in the world's. */
static void test_output_is_kept_elsewhere(void **state)
{
	static const char *const names[] = {"out.0", "err.0"};
	struct fixture *fixture = *state;
	g_autofree char *place = g_dir_make_tmp("mp-output-XXXXXX", NULL);
	g_autofree char *link = g_build_filename(fixture->new, "output", NULL);
	g_autoptr(GError) error = NULL;

	assert_int_equal(symlink(place, link), 0);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(fixture->new, names[i], NULL);
		g_autofree char *target = g_build_filename("output", names[i], NULL);

		assert_int_equal(symlink(target, path), 0);
	}
	overwrite(fixture->old, "out.0", 0, "said", -1);
	assert_true(clone_plan_write(fixture->plan, fixture->new, &error));
	expect_file(place, "out.0", "said");
	expect_file(place, "err.0", NULL);
	overwrite(fixture->new, "out.0", 2, "nt more", -1);
	overwrite(fixture->new, "err.0", 0, "wrong", -1);
	assert_true(clone_plan_rewrite(fixture->plan, fixture->new, fixture->files, &error));
	expect_file(place, "out.0", "said");
	expect_file(place, "err.0", NULL); /* for the rank to make */
	overwrite(fixture->new, "err.0", 0, "again", -1);
	expect_file(place, "err.0", "again");
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		remove_name(place, names[i]);
	assert_int_equal(g_rmdir(place), 0);
}

static void test_a_vanished_keeper_is_an_error(void **state)
{
	struct fixture *fixture = *state;
	struct agent_mapping mapping = {.start = PAGE, .length = PAGE, .device = 1, .inode = 1};
	GError *error = NULL;

	clone_plan_add(fixture->plan, 0, 0x3fffffff, &mapping, 1);
	assert_false(clone_plan_write(fixture->plan, fixture->new, &error));
	assert_non_null(strstr(error->message, "process 1073741823"));
	g_error_free(error);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TEST_ON_DISK(name) cmocka_unit_test_setup_teardown(name, set_up_on_disk, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_object_is_cloned_once_for_all_ranks),
		TEST(test_names_lead_to_the_clone),
		TEST(test_memory_beyond_the_end_of_the_file_is_cloned),
		TEST(test_nameless_memory_is_read_from_the_keeper),
		TEST(test_unmapped_files_are_copied),
		TEST(test_a_used_world_is_rewritten),
		TEST_ON_DISK(test_a_used_world_is_rewritten),
		TEST(test_a_large_world_is_rewritten),
		TEST(test_output_is_kept_elsewhere),
		TEST(test_a_vanished_keeper_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
