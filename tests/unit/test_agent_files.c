/* The agent without MPI: files are restored by descriptor and by name, whatever happened to
 * them. */
#define _GNU_SOURCE
#include "agent_fixture.h"
#include "ckpt/agent_failure.h"

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

static void test_read_offset_is_independent(void **state)
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

/* The descriptor refers to the file at the path, which has the contents of the survey. */
static bool is_at(int fd, const char *path, const char *expected)
{
	struct stat opened, named;
	char text[64] = "";
	int again;

	if (fstat(fd, &opened) < 0 || stat(path, &named) < 0 || opened.st_dev != named.st_dev
	    || opened.st_ino != named.st_ino)
		return false;
	again = open(path, O_RDONLY);
	if (again < 0 || read(again, text, sizeof(text) - 1) < 0)
		return false;
	close(again);
	return !strcmp(text, expected);
}

static int open_hello(const struct fixture *fixture, int flags, mode_t mode)
{
	int fd = open(fixture->file, flags | O_CREAT, mode);

	assert_true(fd >= 0);
	put_text(fd, "hello");
	return fd;
}

static int remove_it(struct fixture *fixture, void *data)
{
	int fd = *(int *)data;

	if (!is_at(fd, fixture->file, "hello"))
		return 1;
	if (lseek(fd, 0, SEEK_CUR) != 5 || write(fd, " and more", 9) != 9 || close(fd) < 0)
		return 2;
	return unlink(fixture->file) == 0 ? 0 : 3;
}

static void test_removed_file_has_its_name_again(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_hello(fixture, O_RDWR, 0600);

	survey_safely(fixture);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(restore(fixture, remove_it, &fd), 0);
		assert_int_equal(access(fixture->file, F_OK), -1);
	}
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
	close(fd);
}

static int rename_it(struct fixture *fixture, void *data)
{
	int fd = *(int *)data;

	if (!is_at(fd, fixture->file, "hello"))
		return 1;
	if (!access(fixture->other, F_OK))
		return 2;
	if (write(fd, "!", 1) != 1)
		return 3;
	return rename(fixture->file, fixture->other) == 0 ? 0 : 4;
}

static void test_renamed_file_has_its_name_again(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_hello(fixture, O_WRONLY, 0600);

	survey_safely(fixture);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(restore(fixture, rename_it, &fd), 0);
		assert_file(fixture->other, "", "hello!");
	}
	close(fd);
}

static int move_it_away(struct fixture *fixture, void *data)
{
	int result = rename_it(fixture, data), fd;

	if (result)
		return result;
	fd = open(fixture->file, O_WRONLY | O_CREAT | O_EXCL, 0600);
	return fd >= 0 && write(fd, "new", 3) == 3 ? 0 : 5;
}

static void test_file_moved_away_is_moved_back(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_hello(fixture, O_RDWR, 0600);

	survey_safely(fixture);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(restore(fixture, move_it_away, &fd), 0);
		assert_file(fixture->file, "", "new");
		assert_file(fixture->other, "", "hello!");
	}
	close(fd);
}

static int replace_it(struct fixture *fixture, void *data)
{
	int fd = *(int *)data, written;

	if (!is_at(fd, fixture->file, "hello"))
		return 1;
	written = open(fixture->other, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (written < 0 || write(written, "something else", 14) != 14)
		return 2;
	return rename(fixture->other, fixture->file) == 0 ? 0 : 3;
}

static void test_replaced_file_holds_what_it_held(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_hello(fixture, O_RDWR, 0600);

	survey_safely(fixture);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(restore(fixture, replace_it, &fd), 0);
		assert_file(fixture->file, "", "something else");
	}
	close(fd);
}

static int change_mode(struct fixture *fixture, void *data)
{
	struct stat status;

	if (stat(fixture->file, &status) < 0 || (status.st_mode & 07777) != 0666)
		return 10;
	if (chmod(fixture->file, 0400) < 0)
		return 11;
	return fixture->worlds % 2 ? 0 : remove_it(fixture, data);
}

static void test_mode_is_put_back(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_hello(fixture, O_RDWR, 0600);

	assert_int_equal(fchmod(fd, 0666), 0); /* more than a umask permits */
	survey_safely(fixture);
	for (int i = 0; i < 5; i++)
		assert_int_equal(restore(fixture, change_mode, &fd), 0);
	close(fd);
}

static int append_and_remove(struct fixture *fixture, void *data)
{
	int fd = *(int *)data;

	if (!is_at(fd, fixture->file, "hello"))
		return 1;
	if (!(fcntl(fd, F_GETFL) & O_APPEND) || (fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY)
		return 2;
	if (lseek(fd, 0, SEEK_SET) != 0 || write(fd, "+", 1) != 1)
		return 3;
	return is_at(fd, fixture->file, "hello+") && unlink(fixture->file) == 0 ? 0 : 4;
}

static void test_appending_continues_in_a_new_file(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_hello(fixture, O_WRONLY | O_APPEND, 0600);

	survey_safely(fixture);
	for (int i = 0; i < 3; i++)
		assert_int_equal(restore(fixture, append_and_remove, &fd), 0);
	close(fd);
}

/* fds: open for writing, its copy, opened again for writing, and for reading. */
static int use_all(struct fixture *fixture, void *data)
{
	int *fds = data;
	char text[4] = "";

	for (int i = 0; i < 4; i++)
		if (!is_at(fds[i], fixture->file, "hello"))
			return 1 + i;
	if (lseek(fds[0], 0, SEEK_CUR) != 5 || lseek(fds[2], 0, SEEK_CUR) != 0
	    || lseek(fds[3], 0, SEEK_CUR) != 2)
		return 5;
	if (!(fcntl(fds[1], F_GETFD) & FD_CLOEXEC) || (fcntl(fds[0], F_GETFD) & FD_CLOEXEC))
		return 6;
	if (write(fds[0], "1", 1) != 1 || write(fds[1], "2", 1) != 1
	    || write(fds[2], "HEL", 3) != 3)
		return 7;
	if (read(fds[3], text, 3) != 3 || strcmp(text, "Llo") != 0)
		return 8;
	if (!is_at(fds[0], fixture->file, "HELlo12"))
		return 9;
	return unlink(fixture->file) == 0 ? 0 : 10;
}

static void open_all(const struct fixture *fixture, int *ret_fds)
{
	ret_fds[0] = open_hello(fixture, O_RDWR, 0600);
	ret_fds[1] = fcntl(ret_fds[0], F_DUPFD_CLOEXEC, 0);
	ret_fds[2] = open(fixture->file, O_WRONLY);
	ret_fds[3] = open(fixture->file, O_RDONLY);
	assert_int_equal(lseek(ret_fds[3], 2, SEEK_SET), 2);
}

static void close_all(const int *fds)
{
	for (int i = 0; i < 4; i++)
		close(fds[i]);
}

static void test_every_descriptor_of_a_file_follows_it(void **state)
{
	struct fixture *fixture = *state;
	int fds[4];

	open_all(fixture, fds);
	survey_safely(fixture);
	for (int i = 0; i < 3; i++)
		assert_int_equal(restore(fixture, use_all, fds), 0);
	close_all(fds);
}

static void test_descriptors_at_one_offset_stay_independent(void **state)
{
	struct fixture *fixture = *state;
	int fds[2];

	fds[0] = open_hello(fixture, O_RDWR, 0600);
	fds[1] = open(fixture->file, O_RDWR);
	assert_int_equal(lseek(fds[1], 5, SEEK_SET), 5);
	survey_safely(fixture);
	assert_int_equal(restore(fixture, write_both, fds), 0);
	assert_file(fixture->file, "", "hellob");
	close(fds[0]);
	close(fds[1]);
}

static void test_a_resumed_keeper_has_its_files_back(void **state)
{
	struct fixture *fixture = *state;
	int fds[4];

	open_all(fixture, fds);
	survey_safely(fixture);
	assert_int_equal(restore(fixture, use_all, fds), 0);
	assert_int_equal(agent_put_files_back(fixture->agent), 0);
	assert_int_equal(use_all(fixture, fds), 0);
	close_all(fds);
}

static int write_anonymously(struct fixture *fixture, void *data)
{
	struct stat status;
	int fd = *(int *)data;

	if (access(fixture->file, F_OK) == 0)
		return 1;
	if (fstat(fd, &status) < 0 || status.st_nlink || status.st_size != 5)
		return 2;
	return write(fd, "!", 1) == 1 ? 0 : 3;
}

static void test_a_file_without_a_name_gets_none(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_hello(fixture, O_RDWR, 0600);

	assert_int_equal(unlink(fixture->file), 0);
	survey_safely(fixture);
	for (int i = 0; i < 3; i++)
		assert_int_equal(restore(fixture, write_anonymously, &fd), 0);
	close(fd);
}

static int read_and_remove(struct fixture *fixture, void *data)
{
	int result = read_on(fixture, data);

	unlink(fixture->file); /* the first time only */
	return result;
}

static void test_removed_file_is_still_readable(void **state)
{
	struct fixture *fixture = *state;
	int fd = open(fixture->file, O_RDWR | O_CREAT, 0600);

	put_text(fd, "abcdefghi");
	close(fd);
	fd = open(fixture->file, O_RDONLY);
	assert_int_equal(lseek(fd, 3, SEEK_SET), 3);
	survey_safely(fixture);
	for (int i = 0; i < 3; i++)
		assert_int_equal(restore(fixture, read_and_remove, &fd), 0);
	close(fd);
}

static int remove_one_name(struct fixture *fixture, void *data)
{
	int *fds = data;

	if (!is_at(fds[0], fixture->file, "hello") || !is_at(fds[1], fixture->other, "hello"))
		return 1;
	if (write(fds[0], "!", 1) != 1 || !is_at(fds[1], fixture->other, "hello!"))
		return 2;
	return unlink(fixture->file) == 0 ? 0 : 3;
}

static void test_two_names_stay_one_file(void **state)
{
	struct fixture *fixture = *state;
	int fds[2];

	fds[0] = open_hello(fixture, O_RDWR, 0600);
	assert_int_equal(link(fixture->file, fixture->other), 0);
	fds[1] = open(fixture->other, O_RDONLY);
	survey_safely(fixture);
	for (int i = 0; i < 3; i++)
		assert_int_equal(restore(fixture, remove_one_name, fds), 0);
	close(fds[0]);
	close(fds[1]);
}

static int nest(struct fixture *fixture, void *data)
{
	int fd = *(int *)data;

	/* The file surveyed here has another name and other contents. */
	if (!is_at(fd, fixture->file, "hello") || rename(fixture->file, fixture->other) < 0
	    || write(fd, "!", 1) != 1)
		return 20;
	strcpy(fixture->file, fixture->other);
	if (ftruncate(fd, 0) < 0 || pwrite(fd, "hello", 5, 0) != 5 || lseek(fd, 5, SEEK_SET) != 5)
		return 21;
	snprintf(fixture->world, sizeof(fixture->world), "%s/new%d", fixture->base,
	         fixture->worlds);
	fixture->worlds += 100 * fixture->worlds;
	if (agent_survey(fixture->agent) < 0 || agent_hazard(fixture->agent))
		return 22;
	for (int i = 0; i < 3; i++) {
		int result = restore(fixture, remove_it, data);

		if (result)
			return result;
	}
	return 0;
}

static void test_names_belong_to_their_snapshot(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_hello(fixture, O_RDWR, 0600);

	survey_safely(fixture);
	for (int i = 0; i < 3; i++)
		assert_int_equal(restore(fixture, nest, &fd), 0);
	close(fd);
}

static int check_inode(struct fixture *fixture, void *data)
{
	struct stat opened, named;

	if (fstat(*(int *)data, &opened) < 0 || stat(fixture->file, &named) < 0)
		return 1;
	return opened.st_ino == named.st_ino ? 0 : 2;
}

/* Several ranks have one file open: they agree on one file at the path. */
static void test_ranks_put_one_file_back(void **state)
{
	enum { RANKS = 4, TIMES = 30, SIZE = 100000 };
	struct fixture *fixture = *state;
	char *expected = malloc(SIZE), *found = malloc(SIZE);
	int fd = open(fixture->file, O_RDWR | O_CREAT, 0600);
	pid_t children[RANKS];

	memset(expected, 'x', SIZE);
	assert_int_equal(write(fd, expected, SIZE), SIZE);
	survey_safely(fixture);
	for (int i = 0; i < TIMES; i++) {
		assert_int_equal(
			i % 3 ? unlink(fixture->file) : rename(fixture->file, fixture->other), 0);
		restore_copies(fixture, check_inode, &fd, RANKS, children);
		for (int rank = 0; rank < RANKS; rank++)
			assert_int_equal(exit_status(children[rank]), 0);
		int again = open(fixture->file, O_RDONLY);

		assert_int_equal(read(again, found, SIZE), SIZE);
		assert_int_equal(read(again, found, 1), 0);
		assert_memory_equal(found + 1, expected + 1, SIZE - 1);
		close(again);
	}
	close(fd);
	free(expected);
	free(found);
}

static int print_more(struct fixture *fixture, void *data)
{
	(void)fixture;
	return write(*(int *)data, " more", 5) == 5 ? 0 : errno;
}

/* Output that lies in another directory, by links, is the world's. In the new world it lies in the
 * directory itself. */
static void test_output_elsewhere_is_of_the_world(void **state)
{
	struct fixture *fixture = *state;
	char place[128], link[128], name[128], file[160];
	int fd;

	snprintf(place, sizeof(place), "%s/place", fixture->base);
	snprintf(link, sizeof(link), "%s/" AGENT_OUTPUT, fixture->world);
	snprintf(name, sizeof(name), "%s/out.0", fixture->world);
	snprintf(file, sizeof(file), "%s/out.0", place);
	assert_int_equal(mkdir(place, 0700), 0);
	assert_int_equal(symlink(place, link), 0);
	assert_int_equal(symlink(AGENT_OUTPUT "/out.0", name), 0);
	fd = open(name, O_WRONLY | O_APPEND | O_CREAT, 0600);
	put_text(fd, "said");
	survey_safely(fixture);
	put_text(fd, ", and gone on");
	assert_int_equal(restore(fixture, print_more, &fd), 0);
	assert_file(fixture->base, "/new1/out.0", "said, and gone on more");
	assert_file(place, "/out.0", "said, and gone on");
	close(fd);
}

static void test_failure_is_reported(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_hello(fixture, O_RDWR, 0600);
	struct stat status;
	pid_t child;

	survey_safely(fixture);
	assert_int_equal(unlink(fixture->file), 0);
	assert_int_equal(mkdir(fixture->file, 0700), 0);
	restore_copies(fixture, check_inode, &fd, 1, &child);
	assert_int_equal(exit_status(child), AGENT_FAILURE_FILES);
	assert_int_equal(rmdir(fixture->file), 0);
	assert_int_equal(symlink(fixture->other, fixture->file), 0);
	restore_copies(fixture, check_inode, &fd, 1, &child);
	assert_int_equal(exit_status(child), AGENT_FAILURE_FILES);
	assert_int_equal(stat(fixture->other, &status), -1);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_written_file_is_put_back),
		TEST(test_appended_file_is_put_back),
		TEST(test_read_offset_is_independent),
		TEST(test_temporary_file_is_put_back),
		TEST(test_copied_descriptors_share_their_offset),
		TEST(test_removed_file_has_its_name_again),
		TEST(test_renamed_file_has_its_name_again),
		TEST(test_file_moved_away_is_moved_back),
		TEST(test_replaced_file_holds_what_it_held),
		TEST(test_mode_is_put_back),
		TEST(test_appending_continues_in_a_new_file),
		TEST(test_every_descriptor_of_a_file_follows_it),
		TEST(test_descriptors_at_one_offset_stay_independent),
		TEST(test_a_resumed_keeper_has_its_files_back),
		TEST(test_a_file_without_a_name_gets_none),
		TEST(test_removed_file_is_still_readable),
		TEST(test_two_names_stay_one_file),
		TEST(test_names_belong_to_their_snapshot),
		TEST(test_ranks_put_one_file_back),
		TEST(test_output_elsewhere_is_of_the_world),
		TEST(test_failure_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
