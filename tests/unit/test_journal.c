/* Files that were changed by name are restored: to the first state, and to any saved state. */
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
#include <glib/gstdio.h>

#include "ckpt/agent_journal.h"
#include "ckpt/journal.h"

struct fixture {
	char *base, *store;
	struct journal *journal;
};

static char *in(const struct fixture *fixture, const char *name)
{
	return g_build_filename(fixture->base, name, NULL);
}

/* As the shim's wrappers do it. */
static void change(const struct fixture *fixture, const char *name, const char *text)
{
	g_autofree char *path = in(fixture, name);
	FILE *file;

	agent_journal_note(AT_FDCWD, path, true);
	file = g_fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void take_away(const struct fixture *fixture, const char *name)
{
	g_autofree char *path = in(fixture, name);

	agent_journal_note(AT_FDCWD, path, false);
	assert_int_equal(g_remove(path), 0);
}

static void assert_text(const struct fixture *fixture, const char *name, const char *text)
{
	g_autofree char *path = in(fixture, name), *found = NULL;

	g_file_get_contents(path, &found, NULL, NULL);
	if (text)
		assert_string_equal(found ? found : "(nothing)", text);
	else
		assert_int_equal(access(path, F_OK), -1);
}

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->base = g_dir_make_tmp("matchpoint-journal-XXXXXX", NULL);
	fixture->store = in(fixture, "store");
	assert_int_equal(g_mkdir(fixture->store, 0700), 0);
	change(fixture, "file", "first\n");
	fixture->journal = journal_new(fixture->store, NULL);
	assert_non_null(fixture->journal);
	agent_journal_open(journal_path(fixture->journal), NULL);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *command = g_strdup_printf("rm -rf %s", fixture->base);

	agent_journal_open(NULL, NULL);
	journal_free(g_steal_pointer(&fixture->journal));
	assert_int_equal(g_rmdir(fixture->store), 0);
	assert_int_equal(system(command), 0);
	g_free(fixture->base);
	g_free(fixture->store);
	g_free(fixture);
	return 0;
}

static void test_first_state(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *file = in(fixture, "file");
	struct stat before, after;

	assert_int_equal(stat(file, &before), 0);
	change(fixture, "file", "other\n");
	change(fixture, "new", "new\n");
	journal_put_back(fixture->journal, NULL);
	assert_text(fixture, "file", "first\n");
	assert_text(fixture, "new", NULL);
	assert_int_equal(stat(file, &after), 0);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);

	/* Once more: paths recorded before are recorded again. */
	take_away(fixture, "file");
	journal_put_back(fixture->journal, NULL);
	assert_text(fixture, "file", "first\n");
}

/* A file is created after its record counted as restored, because another world began. */
static void test_shared(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *path = in(fixture, "new");

	journal_share(fixture->journal);
	agent_journal_note(AT_FDCWD, path, true);
	change(fixture, "file", "other\n");
	journal_put_back(fixture->journal, NULL);
	assert_true(g_file_set_contents(path, "late\n", -1, NULL));
	journal_free(g_steal_pointer(&fixture->journal));
	assert_text(fixture, "new", NULL);
	assert_text(fixture, "file", "first\n");
}

static void test_states(void **state)
{
	const struct fixture *fixture = *state;
	struct journal_state *early, *late, *nothing = journal_save(fixture->journal, NULL);

	change(fixture, "file", "second\n");
	change(fixture, "a", "a\n");
	early = journal_save(fixture->journal, NULL);
	take_away(fixture, "a");
	change(fixture, "b", "b\n");
	late = journal_save(fixture->journal, NULL);
	assert_true(nothing && early && late);

	journal_put_back(fixture->journal, early);
	assert_text(fixture, "file", "second\n");
	assert_text(fixture, "a", "a\n");
	assert_text(fixture, "b", NULL);
	journal_put_back(fixture->journal, nothing);
	assert_text(fixture, "file", "first\n");
	assert_text(fixture, "a", NULL);
	change(fixture, "a", "elsewhere\n");
	journal_put_back(fixture->journal, late);
	assert_text(fixture, "file", "second\n");
	assert_text(fixture, "a", NULL);
	assert_text(fixture, "b", "b\n");
	/* The files of a state differ from the first state even if they are not changed again. */
	journal_put_back(fixture->journal, NULL);
	assert_text(fixture, "file", "first\n");
	assert_text(fixture, "b", NULL);
	journal_state_free(nothing);
	journal_state_free(early);
	journal_state_free(late);
}

static void test_renamed_file_keeps_its_inode(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *file = in(fixture, "file"), *moved = in(fixture, "moved");
	struct stat before, after;

	assert_int_equal(stat(file, &before), 0);
	agent_journal_note_rename(AT_FDCWD, file, AT_FDCWD, moved);
	assert_int_equal(rename(file, moved), 0);
	change(fixture, "file", "in its place\n");
	journal_put_back(fixture->journal, NULL);
	assert_text(fixture, "file", "first\n");
	assert_text(fixture, "moved", NULL);
	assert_int_equal(stat(file, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

/* Inode numbers are reused at once, also for directories. */
static void test_reused_inode(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *made = in(fixture, "made");
	char name[16];

	take_away(fixture, "file");
	agent_journal_note(AT_FDCWD, made, false);
	assert_int_equal(g_mkdir(made, 0700), 0);
	for (int i = 0; i < 20; i++) {
		g_snprintf(name, sizeof(name), "made/%d", i);
		change(fixture, name, "other\n");
	}
	journal_put_back(fixture->journal, NULL);
	assert_text(fixture, "file", "first\n");
	assert_int_equal(access(made, F_OK), -1);
	assert_int_equal(journal_problems(fixture->journal)->len, 0);
}

static void test_directories(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *made = in(fixture, "made"), *moved = in(fixture, "moved");

	agent_journal_note(AT_FDCWD, made, false);
	assert_int_equal(g_mkdir(made, 0700), 0);
	change(fixture, "made/file", "text\n");
	agent_journal_note_rename(AT_FDCWD, made, AT_FDCWD, moved);
	assert_int_equal(rename(made, moved), 0);
	change(fixture, "moved/file", "more\n");
	journal_put_back(fixture->journal, NULL);
	assert_int_equal(access(made, F_OK), -1);
	assert_int_equal(access(moved, F_OK), -1);
	assert_int_equal(journal_problems(fixture->journal)->len, 0);
}

/* A directory with an entry that was not recorded is not removed. */
static void test_unrecorded_files_stay(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *made = in(fixture, "made"), *stranger = in(fixture, "made/stranger");

	agent_journal_note(AT_FDCWD, made, false);
	assert_int_equal(g_mkdir(made, 0700), 0);
	assert_true(g_file_set_contents(stranger, "mine\n", -1, NULL));
	journal_put_back(fixture->journal, NULL);
	assert_text(fixture, "made/stranger", "mine\n");
	assert_int_equal(journal_problems(fixture->journal)->len, 1);
	assert_non_null(strstr(journal_problems(fixture->journal)->pdata[0], made));
}

static void test_pause(void **state)
{
	const struct fixture *fixture = *state;

	agent_journal_pause(true);
	change(fixture, "file", "not noted\n");
	agent_journal_pause(false);
	assert_true(journal_is_empty(fixture->journal));
	change(fixture, "file", "noted\n");
	assert_false(journal_is_empty(fixture->journal));
	journal_put_back(fixture->journal, NULL);
	assert_text(fixture, "file", "not noted\n");
}

static void test_links(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *link = in(fixture, "link"), *target = NULL;

	agent_journal_open(NULL, NULL);
	assert_int_equal(symlink("file", link), 0);
	agent_journal_open(journal_path(fixture->journal), NULL);
	agent_journal_note(AT_FDCWD, link, true); /* the link leads to "file" */
	change(fixture, "file", "by a link\n");
	take_away(fixture, "link");
	journal_put_back(fixture->journal, NULL);
	assert_text(fixture, "file", "first\n");
	target = g_file_read_link(link, NULL);
	assert_string_equal(target, "file");
}

static void test_too_large(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *large = in(fixture, "large");

	assert_true(g_file_set_contents(large, "", 0, NULL));
	assert_int_equal(truncate(large, (off_t)AGENT_JOURNAL_FILE_MAX + 1), 0);
	agent_journal_note(AT_FDCWD, large, true);
	journal_put_back(fixture->journal, NULL);
	assert_int_equal(journal_problems(fixture->journal)->len, 0); /* nothing has changed */
	agent_journal_note(AT_FDCWD, large, true);
	assert_int_equal(truncate(large, 1), 0);
	journal_put_back(fixture->journal, NULL);
	assert_int_equal(journal_problems(fixture->journal)->len, 1);
}

static void test_keep(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *kept = in(fixture, "kept");

	change(fixture, "file", "result\n");
	change(fixture, "gone", "gone\n");
	take_away(fixture, "gone");
	assert_true(journal_keep(fixture->journal, fixture->base, kept, NULL));
	journal_put_back(fixture->journal, NULL);
	assert_text(fixture, "kept/file", "result\n");
	assert_text(fixture, "kept/gone", NULL);
	assert_text(fixture, "file", "first\n");
}

static void assert_contents(GBytes *contents, const char *text)
{
	gsize size;
	const char *bytes;

	if (!text) {
		assert_null(contents);
		return;
	}
	assert_non_null(contents);
	bytes = g_bytes_get_data(contents, &size);
	assert_int_equal(size, strlen(text));
	assert_memory_equal(bytes, text, size);
	g_bytes_unref(contents);
}

static void test_contents(void **state)
{
	const struct fixture *fixture = *state;
	struct journal *journal = fixture->journal;
	g_autofree char *file = in(fixture, "file"), *made = in(fixture, "made");
	g_autofree char *link = in(fixture, "link");
	GPtrArray *changed;

	assert_null(journal_changed(journal));
	change(fixture, "made", "0123456789");
	change(fixture, "file", "second\n");
	changed = journal_changed(journal);
	assert_int_equal(changed->len, 2);
	assert_string_equal(changed->pdata[0], file);
	assert_string_equal(changed->pdata[1], made);
	g_ptr_array_unref(changed);
	assert_contents(journal_contents_first(journal, file, 100), "first\n");
	assert_contents(journal_contents_first(journal, file, 1), "(too large)\n");
	assert_contents(journal_contents_first(journal, made, 100), NULL);
	assert_contents(journal_contents_now(file, 100), "second\n");
	assert_contents(journal_contents_now(made, 9), "(too large)\n");
	agent_journal_note(AT_FDCWD, link, false);
	assert_int_equal(symlink("file", link), 0);
	assert_contents(journal_contents_now(link, 100), "(a symbolic link to file)\n");
	assert_contents(journal_contents_now(fixture->base, 100), "(a directory)\n");
	journal_put_back(journal, NULL);
	assert_null(journal_changed(journal));
	assert_contents(journal_contents_now(link, 100), NULL);
}

static void test_damaged_record(void **state)
{
	const struct fixture *fixture = *state;
	g_autofree char *base = g_build_filename(journal_path(fixture->journal), "base", NULL);
	g_autofree char *record = g_build_filename(base, "0", NULL);
	struct agent_journal_state found;
	int directory = open(base, O_RDONLY | O_DIRECTORY);

	static const char *const texts[] = {"", "1 2 3\n\n/x", "9 0 0 0 0 0.0 0.0 0.0 0.0\n\n/x",
	                                    "1 0 0 0 0 0.0 0.0 0.0 0.0\n\nx"};
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		assert_true(g_file_set_contents(record, texts[i], -1, NULL));
		assert_int_equal(agent_journal_read(directory, "0", &found), -1);
	}
	close(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_first_state, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_states, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_renamed_file_keeps_its_inode, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_reused_inode, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_directories, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unrecorded_files_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pause, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_too_large, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_keep, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_contents, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_damaged_record, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
