/* A store that cannot be written any more keeps whole transactions, and nothing else. A limit on
 * file sizes replaces a full disk (tests/e2e/check_full_disk.py has one that is full for a
 * moment). */
#include <glib/gstdio.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/store/reader.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/store.h"

enum { FITS = 400000, TEXT = 20000 }; /* bytes */

static int set_up(void **state)
{
	*state = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = {STORE_FILE, STORE_FILE "-wal", STORE_FILE "-shm"};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *file = g_build_filename(*state, names[i], NULL);

		g_unlink(file);
	}
	g_rmdir(*state);
	g_free(*state);
	return 0;
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit = {bytes, RLIM_INFINITY};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
}

static bool add(struct store *store, uint32_t id, GError **error)
{
	g_autoptr(RecordExecution) e = record_execution_new();

	e->id = id;
	e->buffering = RECORD_ZERO;
	e->status = FINDING_NONE;
	e->path = g_strnfill(TEXT, 'x');
	return store_add(store, e, NULL, error);
}

static struct store *begin(const char *directory)
{
	g_autoptr(RecordExploration) exploration = record_exploration_new();
	struct store *store = store_create(directory, NULL);

	g_strfreev(exploration->program);
	exploration->program = g_strsplit("./program", " ", 0);
	exploration->directory = g_strdup("/");
	exploration->version = g_strdup("0");
	return store && store_put_exploration(store, exploration, NULL) ? store : NULL;
}

/* Runs in a child with a limit. Its exit status is the step that failed; 0: none. */
static int fill(const char *directory)
{
	struct store *store = begin(directory);
	g_autoptr(GError) error = NULL, again = NULL, end = NULL;
	uint32_t id = 1;

	if (!store)
		return 1;
	store_hold(store);
	if (!add(store, id++, NULL) || !store_release(store, NULL))
		return 2;
	store_hold(store);
	limit_files(FITS);
	/* Held data is written when the cache is full, or at the end. */
	while (id < 10000 && add(store, id, &error))
		id++;
	limit_files(RLIM_INFINITY);
	if (!error)
		return 3;
	if (add(store, id + 1, &again) || !again || !g_str_equal(again->message, error->message))
		return 4;
	if (store_release(store, &end) || !end)
		return 5;
	store_hold(store);
	if (add(store, id + 2, NULL))
		return 6;
	store_close(store);
	return 0;
}

static void a_held_transaction_is_written_whole_or_not_at_all(void **state)
{
	g_autoptr(StoreReader) reader = NULL;
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(fill(*state));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	reader = store_reader_open(*state, NULL);
	assert_non_null(reader);
	assert_int_equal(store_reader_count(reader), 1);
}

static int fill_at_the_end(const char *directory)
{
	struct store *store = begin(directory);
	g_autoptr(GError) error = NULL;

	if (!store)
		return 1;
	store_hold(store);
	for (uint32_t id = 1; id < 1 + FITS / TEXT; id++) {
		if (!add(store, id, NULL))
			return 2;
	}
	limit_files(FITS / 2);
	if (store_release(store, &error) || !error)
		return 3;
	limit_files(RLIM_INFINITY);
	store_hold(store);
	if (add(store, 1000, NULL) || store_release(store, NULL))
		return 4;
	store_close(store);
	return 0;
}

static void a_transaction_that_fails_at_its_end_is_not_written_later(void **state)
{
	g_autoptr(StoreReader) reader = NULL;
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(fill_at_the_end(*state));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	reader = store_reader_open(*state, NULL);
	assert_non_null(reader);
	assert_int_equal(store_reader_count(reader), 0);
}

/* --- postponed writes ------------------------------------------------------------------------- */

static bool add_later(struct store *store, uint32_t id, size_t text, GError **error)
{
	g_autoptr(RecordExecution) e = record_execution_new();

	e->id = id;
	e->buffering = RECORD_ZERO;
	e->status = FINDING_NONE;
	e->path = g_strnfill(text, 'x');
	return store_add_later(store, e, error);
}

static guint64 count_in(const char *directory)
{
	g_autoptr(StoreReader) reader = store_reader_open(directory, NULL);

	assert_non_null(reader);
	return store_reader_count(reader);
}

/* The caller's record has been freed by then. */
static void a_postponed_write_comes_first(void **state)
{
	struct store *store = begin(*state);
	g_autoptr(GError) error = NULL;

	assert_non_null(store);
	store_hold(store);
	for (uint32_t id = 1; id <= 3; id++)
		assert_true(add_later(store, id, TEXT, NULL));
	assert_true(store_catch_up(store, NULL));
	assert_true(store_catch_up(store, NULL)); /* nothing is postponed */
	assert_false(add(store, 3, &error));      /* the id exists already */
	store_drop(store);
	assert_int_equal(count_in(*state), 0);
}

static void a_postponed_write_is_done_on_release(void **state)
{
	struct store *store = begin(*state);
	g_autoptr(GError) error = NULL;

	assert_non_null(store);
	store_hold(store);
	assert_true(add_later(store, 1, TEXT, NULL));
	assert_true(add(store, 2, NULL)); /* interleaving 1 is written first */
	assert_true(add_later(store, 3, TEXT, NULL));
	assert_true(store_release(store, NULL));
	assert_true(add_later(store, 4, TEXT, NULL));
	assert_false(add(store, 4, &error)); /* this one was not postponed */
	store_close(store);
	assert_int_equal(count_in(*state), 4);
}

static void a_postponed_write_is_dropped_with_its_transaction(void **state)
{
	struct store *store = begin(*state);

	assert_non_null(store);
	store_hold(store);
	assert_true(add(store, 1, NULL));
	assert_true(add_later(store, 2, TEXT, NULL));
	store_drop(store);
	assert_int_equal(count_in(*state), 0);
}

/* The next writer gets the error, and held data is not written. */
static int fill_later(const char *directory)
{
	struct store *store = begin(directory);
	g_autoptr(GError) error = NULL, again = NULL;

	if (!store)
		return 1;
	store_hold(store);
	if (!add(store, 1, NULL))
		return 2;
	limit_files(FITS);
	if (!add_later(store, 2, 100 * FITS, NULL))
		return 3;
	if (store_release(store, &error) || !error)
		return 4;
	limit_files(RLIM_INFINITY);
	store_hold(store);
	if (add_later(store, 3, TEXT, NULL), store_catch_up(store, &again) || !again)
		return 5;
	if (!g_str_equal(again->message, error->message))
		return 6;
	store_close(store);
	return 0;
}

static void a_failed_postponed_write_is_reported(void **state)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(fill_later(*state));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(count_in(*state), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_held_transaction_is_written_whole_or_not_at_all,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_transaction_that_fails_at_its_end_is_not_written_later, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_postponed_write_comes_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_postponed_write_is_done_on_release, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_postponed_write_is_dropped_with_its_transaction,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_failed_postponed_write_is_reported, set_up,
	                                        tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
