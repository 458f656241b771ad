/* Files that an owner has not restored because it was killed. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "ckpt/agent_journal.h"
#include "ckpt/journal.h"

struct fixture {
	char *base, *store, *file, *made;
	pid_t owner;
};

static bool no_process_runs(const char *path)
{
	assert_true(g_path_is_absolute(path));
	return true;
}

static bool a_process_runs(const char *path)
{
	(void)path;
	return false;
}

static void write_file(const char *path, const char *text)
{
	assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void change(const char *path, const char *text)
{
	FILE *file;

	agent_journal_note(AT_FDCWD, path, true);
	file = g_fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		_exit(3);
}

static void assert_text(const char *path, const char *text)
{
	g_autofree char *found = NULL;

	g_file_get_contents(path, &found, NULL, NULL);
	assert_string_equal(found ? found : "(nothing)", text);
}

/* An owner that changes files, calls `rest`, and waits to be killed. */
static pid_t own(const struct fixture *fixture, void (*rest)(struct journal *journal))
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct journal *journal = journal_new(fixture->store, NULL);

		if (!journal)
			_exit(2);
		agent_journal_open(journal_path(journal), NULL);
		change(fixture->file, "changed\n");
		change(fixture->made, "made\n");
		rest(journal);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(4);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void nothing_more(struct journal *journal)
{
	(void)journal;
}

static void kill_owner(struct fixture *fixture)
{
	assert_int_equal(kill(fixture->owner, SIGKILL), 0);
	assert_int_equal(waitpid(fixture->owner, NULL, 0), fixture->owner);
	fixture->owner = 0;
}

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->base = g_dir_make_tmp("mp-left-XXXXXX", NULL);
	fixture->store = g_build_filename(fixture->base, "store", NULL);
	fixture->file = g_build_filename(fixture->base, "file", NULL);
	fixture->made = g_build_filename(fixture->base, "made", NULL);
	assert_int_equal(g_mkdir(fixture->store, 0700), 0);
	write_file(fixture->file, "first\n");
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *command = g_strdup_printf("rm -rf %s", fixture->base);

	if (fixture->owner > 0)
		kill_owner(fixture);
	assert_int_equal(system(command), 0);
	g_free(fixture->base);
	g_free(fixture->store);
	g_free(fixture->file);
	g_free(fixture->made);
	g_free(fixture);
	return 0;
}

static char *the_journal(const struct fixture *fixture)
{
	g_autoptr(GPtrArray) journals = journal_list(fixture->store);

	assert_int_equal(journals->len, 1);
	return g_strdup(journals->pdata[0]);
}

static void assert_put_back(const struct fixture *fixture)
{
	g_autofree char *journal = the_journal(fixture);
	struct journal_recovery recovery;

	assert_true(journal_recover(journal, no_process_runs, &recovery, NULL));
	assert_int_equal(recovery.problems->len, 0);
	assert_null(recovery.replaced);
	journal_recovery_clear(&recovery);
	assert_text(fixture->file, "first\n");
	assert_text(fixture->made, "(nothing)");
	assert_int_equal(access(journal, F_OK), -1);
	/* Restoring once is enough. */
	assert_true(journal_recover(journal, no_process_runs, &recovery, NULL));
	assert_null(recovery.problems);
}

static void test_living_owner(void **state)
{
	struct fixture *fixture = *state;
	struct journal_recovery recovery;
	g_autofree char *journal = NULL;

	fixture->owner = own(fixture, nothing_more);
	journal = the_journal(fixture);
	assert_true(journal_recover(journal, no_process_runs, &recovery, NULL));
	assert_null(recovery.problems);
	assert_text(fixture->file, "changed\n");
	kill_owner(fixture);
	assert_put_back(fixture);
}

static void test_zombie(void **state)
{
	struct fixture *fixture = *state;
	siginfo_t info;

	fixture->owner = own(fixture, nothing_more);
	assert_int_equal(kill(fixture->owner, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)fixture->owner, &info, WEXITED | WNOWAIT), 0);
	assert_put_back(fixture); /* although it is a zombie */
}

/* Killed while files were being restored: the record of changes is incomplete. */
static void forget_what_changed(struct journal *journal)
{
	g_autofree char *now = g_build_filename(journal_path(journal), AGENT_JOURNAL_NOW, NULL);
	g_autofree char *command = g_strdup_printf("rm -f %s/*", now);

	if (system(command) != 0)
		_exit(5);
}

static void test_killed_while_restoring(void **state)
{
	struct fixture *fixture = *state;

	fixture->owner = own(fixture, forget_what_changed);
	kill_owner(fixture);
	assert_put_back(fixture);
}

static void test_later_changes_are_kept(void **state)
{
	struct fixture *fixture = *state;
	struct journal_recovery recovery;
	g_autofree char *journal = NULL, *kept = NULL;
	struct timespec later[2] = {{.tv_sec = time(NULL) + 3600}, {.tv_sec = time(NULL) + 3600}};

	fixture->owner = own(fixture, nothing_more);
	kill_owner(fixture);
	write_file(fixture->file, "my work\n");
	assert_int_equal(utimensat(AT_FDCWD, fixture->file, later, 0), 0);
	journal = the_journal(fixture);
	assert_true(journal_recover(journal, no_process_runs, &recovery, NULL));
	assert_non_null(recovery.replaced);
	kept = g_build_filename(recovery.replaced, fixture->file, NULL);
	assert_text(kept, "my work\n");
	assert_text(fixture->file, "first\n");
	journal_recovery_clear(&recovery);
}

static void assert_refused(const struct fixture *fixture, const char *journal,
                           journal_vacate vacate)
{
	struct journal_recovery recovery;
	g_autoptr(GError) error = NULL;

	assert_false(journal_recover(journal, vacate, &recovery, &error));
	assert_non_null(error);
	assert_int_equal(access(journal, F_OK), 0);
	assert_text(fixture->file, "changed\n");
	journal_recovery_clear(&recovery);
}

static void test_what_cannot_be_put_back(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *journal = NULL, *data = NULL;
	char key[AGENT_JOURNAL_KEY_SIZE];

	fixture->owner = own(fixture, nothing_more);
	kill_owner(fixture);
	journal = the_journal(fixture);
	assert_refused(fixture, journal, a_process_runs);
	agent_journal_key(fixture->file, key);
	data = g_strdup_printf("%s/" AGENT_JOURNAL_BASE "/%s.data", journal, key);
	assert_int_equal(g_unlink(data), 0);
	assert_refused(fixture, journal, no_process_runs);
}

/* A record cannot be written: a limit for file sizes stands for a full disk. */
static void test_trouble_is_reported(void **state)
{
	struct fixture *fixture = *state;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct journal *journal = journal_new(fixture->store, NULL);
		struct rlimit limit = {100, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
		const GPtrArray *problems = journal ? journal_problems(journal) : NULL;

		signal(SIGXFSZ, SIG_IGN);
		if (!journal || setrlimit(RLIMIT_FSIZE, &limit) != 0)
			_exit(2);
		agent_journal_open(journal_path(journal), NULL);
		change(fixture->file, "changed\n");
		setrlimit(RLIMIT_FSIZE, &none);
		journal_put_back(journal, NULL);
		if (problems->len != 1 || !strstr(problems->pdata[0], fixture->file))
			_exit(6);
		journal_free(journal);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_living_owner, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_zombie, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_killed_while_restoring, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_later_changes_are_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_put_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_trouble_is_reported, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
