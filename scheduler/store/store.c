#include "store.h"

#include <errno.h>
#include <sqlite3.h>

#include "scheduler/tools/log.h"
#include "schema.h"
#include "store_internal.h"

static const char *const drops[STORE_DROPS] = {
	"DELETE FROM roll_call WHERE execution = 0 AND finding = ?",
	"DELETE FROM given WHERE finding = ?",
	"DELETE FROM choice WHERE execution = 0 AND position = ?",
	"DELETE FROM alternative WHERE execution = 0 AND position = ?",
};

G_DEFINE_QUARK(matchpoint_store_error, store_error)

/* Sets the error with the operating system's reason, if there is one. */
static void set_io_error(const struct store *store, GError **error)
{
	int cause = sqlite3_system_errno(store->database);
	const char *advice = cause == EFBIG ? "; raise the limit of files (ulimit -f)" : "";

	g_set_error(error, STORE_ERROR, STORE_ERROR_IO, "%s: cannot be written: %s%s", store->file,
	            cause != 0 ? g_strerror(cause) : sqlite3_errmsg(store->database), advice);
}

/* Sets the error to the meaning of SQLite's last error. Returns false. */
static bool fail(const struct store *store, GError **error)
{
	int code = sqlite3_errcode(store->database);

	switch (code & 0xff) {
	case SQLITE_FULL:
		g_set_error(error, STORE_ERROR, STORE_ERROR_FULL,
		            "%s: no space left on the device; free some, or name another directory "
		            "with --store",
		            store->file);
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		g_set_error(error, STORE_ERROR, STORE_ERROR_BUSY,
		            "%s: another matchpoint is writing to it; name another directory with "
		            "--store",
		            store->file);
		break;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		g_set_error(error, STORE_ERROR, STORE_ERROR_NOT_A_STORE,
		            "%s: this is not a matchpoint store, or it is damaged; name another "
		            "directory with --store",
		            store->file);
		break;
	default: set_io_error(store, error);
	}
	return false;
}

bool store_run(struct store *store, const char *text, GError **error)
{
	if (sqlite3_exec(store->database, text, NULL, NULL, NULL) != SQLITE_OK)
		return fail(store, error);
	return true;
}

bool store_fail(const struct store *store, GError **error)
{
	return fail(store, error);
}

sqlite3_stmt *store_prepare(const struct store *store, const char *text, GError **error)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v3(store->database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement,
	                       NULL)
	    != SQLITE_OK)
		fail(store, error);
	return statement;
}

/* Reads the number that a PRAGMA or a query without parameters returns. */
static bool ask(struct store *store, const char *text, gint64 *ret, GError **error)
{
	sqlite3_stmt *statement = store_prepare(store, text, error);
	bool good = statement && sqlite3_step(statement) == SQLITE_ROW;

	if (good)
		*ret = sqlite3_column_int64(statement, 0);
	else if (statement)
		fail(store, error);
	sqlite3_finalize(statement);
	return good;
}

/* Refuses what is neither empty nor a store that can be read. One that is too old is replaced by a
 * new exploration. */
static bool recognise(struct store *store, bool anew, bool *ret_empty, GError **error)
{
	g_autofree char *problem = NULL;
	gint64 application, version, tables;

	if (!ask(store, "PRAGMA application_id", &application, error)
	    || !ask(store, "PRAGMA user_version", &version, error)
	    || !ask(store, "SELECT count(*) FROM sqlite_schema", &tables, error))
		return false;
	*ret_empty = application == 0 && version == 0 && tables == 0;
	if (*ret_empty)
		return true;
	if (application != STORE_APPLICATION) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_NOT_A_STORE,
		            "%s: this is a database, but not a matchpoint store; name another "
		            "directory with --store",
		            store->file);
		return false;
	}
	if (anew && version < STORE_OLDEST)
		return true;
	problem = schema_version_problem(store->file, version);
	if (problem)
		g_set_error_literal(error, STORE_ERROR, STORE_ERROR_VERSION, problem);
	return !problem;
}

static bool discard(struct store *store, GError **error)
{
	bool discarded;

	sqlite3_db_config(store->database, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
	discarded = store_run(store, "VACUUM", error);
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
	return discarded;
}

/* Empties the file and creates the tables. Does not wait for the disk: what the file had is given
 * up, and it has nothing new yet. */
static bool renew(struct store *store, bool is_empty, GError **error)
{
	g_autofree char *header = g_strdup_printf(
		"PRAGMA application_id = %d; PRAGMA user_version = %d;", STORE_APPLICATION,
		STORE_VERSION);
	g_autofree char *tables = tables_create();

	return store_run(store, "PRAGMA synchronous = OFF", error)
	       && (is_empty || discard(store, error))
	       && store_run(store, "PRAGMA journal_mode = WAL", error)
	       && store_run(store, "BEGIN IMMEDIATE", error) && store_run(store, tables, error)
	       && store_run(store, header, error) && store_run(store, "COMMIT", error)
	       && store_run(store, "PRAGMA synchronous = NORMAL", error);
}

/* Opens a file for exclusive use by this process. `*ret_empty`: it has nothing yet. */
static bool open_file(struct store *store, bool anew, bool *ret_empty, GError **error)
{
	if (sqlite3_open_v2(store->file, &store->database,
	                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL)
	    != SQLITE_OK)
		return fail(store, error);
	return store_run(store, "PRAGMA locking_mode = EXCLUSIVE", error)
	       && recognise(store, anew, ret_empty, error);
}

/* Appends to the contents of the file. */
static bool append(struct store *store, GError **error)
{
	gint64 version, explorations = 0;

	if (!ask(store, "PRAGMA user_version", &version, error))
		return false;
	if (version > 0 && !ask(store, "SELECT count(*) FROM exploration", &explorations, error))
		return false;
	if (explorations == 0) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_EMPTY,
		            "%s: this store has no exploration", store->file);
		return false;
	}
	if (!store_run(store, "PRAGMA journal_mode = WAL", error)
	    || !store_run(store, "PRAGMA synchronous = NORMAL", error)
	    || !ask(store, "SELECT coalesce(max(id), 0) FROM place", &store->last_place, error))
		return false;
	store->committed_place = store->last_place;
	return store_read_indices(store, error);
}

static struct store *open_store(const char *directory, bool anew, GError **error)
{
	struct store *store = g_new0(struct store, 1);
	bool is_empty = false;

	store->file = g_build_filename(directory, STORE_FILE, NULL);
	store->places = g_hash_table_new_full(place_hash, place_key_equal, g_free, NULL);
	store->communicators = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	store->indices = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_variant_unref);
	stopwatch_start(&store->watch);
	if (!anew && !g_file_test(store->file, G_FILE_TEST_IS_REGULAR)) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_NOT_A_STORE,
		            "%s: there is no store to resume; explore without --resume",
		            store->file);
		goto failed;
	}
	if (g_mkdir_with_parents(directory, 0777) != 0) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_IO,
		            "%s: cannot be created: %s; name another directory with --store",
		            directory, g_strerror(errno));
		goto failed;
	}
	if (!open_file(store, anew, &is_empty, error)
	    || !(anew ? renew(store, is_empty, error) : append(store, error)))
		goto failed;
	for (int i = 0; i < STORE_DROPS; i++) {
		store->drops[i] = store_prepare(store, drops[i], error);
		if (!store->drops[i])
			goto failed;
	}
	stopwatch_stop(&store->watch);
	return store;
failed:
	stopwatch_stop(&store->watch);
	store_close(store);
	return NULL;
}

struct store *store_create(const char *directory, GError **error)
{
	return open_store(directory, true, error);
}

struct store *store_continue(const char *directory, GError **error)
{
	return open_store(directory, false, error);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	store_release(store, NULL);
	stopwatch_start(&store->watch);
	for (int i = 0; i < STORE_DROPS; i++)
		sqlite3_finalize(store->drops[i]);
	store_finalize_writes(store);
	/* leaves one plain file, which can be read in a read-only directory */
	if (store->database)
		sqlite3_exec(store->database, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	sqlite3_close(store->database);
	stopwatch_stop(&store->watch);
	log_debug(LOG_STORE, "%s: written in %.6f s, %.6f s of it computing; %u times", store->file,
	          (double)store->watch.wall / G_USEC_PER_SEC,
	          (double)store->watch.computing / G_USEC_PER_SEC, store->watch.times);
	g_clear_error(&store->failed);
	g_hash_table_unref(store->communicators);
	g_hash_table_unref(store->places);
	g_hash_table_unref(store->indices);
	g_free(store->launcher);
	g_free(store->file);
	g_free(store);
}

const char *store_file(const struct store *store)
{
	return store->file;
}

void store_excerpts_from(struct store *store, store_excerpt_find find, void *data)
{
	store->find_excerpt = find;
	store->find_data = data;
}

static struct choice_row choice_row_of(const struct record_choice *choice)
{
	const struct point *point = &choice->point;
	bool is_lock = point->kind == POINT_LOCK;

	return (struct choice_row){
		.rank = choice->rank,
		.call = choice->call,
		.sub = choice->sub,
		.function = choice->function,
		.place = choice->place,
		.window = choice_row_window(point),
		.first = point->first,
		.target = is_lock ? point->rank : 0,
		.reader = point->reader,
		.granted = is_lock ? point->call : 0,
	};
}

/* The choices and the alternatives of each; the first has this position. */
static bool put_choices(struct store *store, gint64 execution, gint64 position,
                        struct record_choice *const *choices, guint count, GError **error)
{
	struct rows rows = {.store = store, .table = TABLE_CHOICE, .left = count};
	struct rows alternatives = {.store = store, .table = TABLE_ALTERNATIVE, .left = count};

	for (guint i = 0; i < count; i++) {
		const struct choice_row row = choice_row_of(choices[i]);

		alternatives.left += choices[i]->alternatives->len;
		if (!rows_put(&rows, STORE_KEYS(execution, position + i), &row, error))
			return false;
	}
	for (guint i = 0; i < count; i++) {
		const GArray *others = choices[i]->alternatives;

		if (!rows_put(&alternatives, STORE_KEYS(execution, position + i, 0),
		              &choices[i]->taken, error))
			return false;
		for (guint j = 0; j < others->len; j++)
			if (!rows_put(&alternatives, STORE_KEYS(execution, position + i, j + 1),
			              &g_array_index(others, struct record_message, j), error))
				return false;
	}
	return true;
}

static bool put_roll_call(struct store *store, gint64 execution, gint64 finding,
                          const GPtrArray *ranks, GError **error)
{
	for (guint i = 0; i < ranks->len; i++) {
		if (!store_put(store, TABLE_ROLL_CALL, STORE_KEYS(execution, finding, i),
		               ranks->pdata[i], error))
			return false;
	}
	return true;
}

static bool put_processes(struct store *store, const struct record_execution *execution,
                          GError **error)
{
	const GPtrArray *outputs = execution->outputs, *errors = execution->errors;

	for (guint i = 0; i < execution->exits->len; i++) {
		const struct process_row row = {
			g_array_index(execution->exits, int32_t, i),
			i < outputs->len ? outputs->pdata[i] : NULL,
			i < errors->len ? errors->pdata[i] : NULL,
		};

		if (!store_put(store, TABLE_PROCESS, STORE_KEYS(execution->id, i), &row, error))
			return false;
	}
	return true;
}

static bool put_shows(struct store *store, uint32_t execution, uint32_t finding, GError **error)
{
	return store_put(store, TABLE_SHOWS, STORE_KEYS(execution, finding), NULL, error);
}

static bool put_execution(struct store *store, const struct record_execution *execution,
                          GError **error)
{
	struct execution_row row = {
		.id = execution->id,
		.buffering = execution->buffering,
		.status = execution->status,
		.path = execution->path,
		.calls = execution->calls->len,
		.matches = execution->matches->len,
	};

	if (!store_put_calls(store, execution, &row.first_call, &row.first_match, error)
	    || !store_put(store, TABLE_EXECUTION, NULL, &row, error)
	    || !put_processes(store, execution, error)
	    || !put_roll_call(store, execution->id, 0, execution->ranks, error))
		return false;
	for (guint i = 0; i < execution->findings->len; i++) {
		if (!put_shows(store, execution->id,
		               g_array_index(execution->findings, uint32_t, i), error))
			return false;
	}
	return put_choices(store, execution->id, 0,
	                   (struct record_choice *const *)execution->choices->pdata,
	                   execution->choices->len, error);
}

static bool put_given(struct store *store, const struct record_finding *finding, GError **error)
{
	for (guint i = 0; i < finding->given->len; i++) {
		if (!store_put(store, TABLE_GIVEN, STORE_KEYS(finding->id, i),
		               &g_array_index(finding->given, struct record_given, i), error))
			return false;
	}
	return true;
}

static bool put_outcomes(struct store *store, const struct record_finding *finding, GError **error)
{
	for (guint i = 0; i < finding->outcomes->len; i++) {
		if (!store_put(store, TABLE_OUTCOME, STORE_KEYS(finding->id),
		               finding->outcomes->pdata[i], error))
			return false;
	}
	return true;
}

/* Deletes the rows of a finding that were written before. */
static bool drop(struct store *store, uint32_t finding, GError **error)
{
	for (int i = 0; i < STORE_DROPS; i++) {
		sqlite3_stmt *statement = store->drops[i];
		bool good;

		sqlite3_bind_int64(statement, 1, finding);
		good = sqlite3_step(statement) == SQLITE_DONE || fail(store, error);
		sqlite3_reset(statement);
		if (!good)
			return false;
	}
	return true;
}

static bool put_finding(struct store *store, const struct record_finding *finding, GError **error)
{
	return drop(store, finding->id, error)
	       && store_put(store, TABLE_FINDING, NULL, finding, error)
	       && put_roll_call(store, 0, finding->id, finding->ranks, error)
	       && put_given(store, finding, error) && put_outcomes(store, finding, error)
	       && (!finding->blame
	           || put_choices(store, 0, finding->id, &finding->blame, 1, error));
}

bool store_put_exploration(struct store *store, const struct record_exploration *exploration,
                           GError **error)
{
	const struct record_exploration *e = exploration;
	bool good;

	if (g_strcmp0(store->launcher, e->launcher) != 0) {
		g_free(store->launcher);
		store->launcher = g_strdup(e->launcher);
		store->common_changed = true;
	}
	if (!store_begin(store, error))
		return false;
	good = store_run(store,
	                 "DELETE FROM argument; DELETE FROM verdict_limit;"
	                 " DELETE FROM note;",
	                 error)
	       && store_put(store, TABLE_EXPLORATION, STORE_KEYS(1), e, error);
	for (guint i = 0; good && e->program[i]; i++) {
		g_autoptr(GBytes) value = g_bytes_new(e->program[i], strlen(e->program[i]));

		good = store_put(store, TABLE_ARGUMENT, STORE_KEYS(i), &(struct bytes_row){value},
		                 error);
	}
	for (guint i = 0; good && i < e->limits->len; i++) {
		const struct record_limit *limit = e->limits->pdata[i];

		good = store_put(store, TABLE_LIMIT, STORE_KEYS(i),
		                 &(struct limit_row){limit_info(limit->limit)->name, limit->text},
		                 error);
	}
	for (guint i = 0; good && i < e->notes->len; i++)
		good = store_put(store, TABLE_NOTE, STORE_KEYS(i),
		                 &(struct text_row){e->notes->pdata[i]}, error);
	return store_finish(store, good, error);
}

bool store_add(struct store *store, const struct record_execution *execution,
               const GPtrArray *findings, GError **error)
{
	bool good;

	if (!store_begin(store, error))
		return false;
	good = !execution || put_execution(store, execution, error);
	for (guint i = 0; good && findings && i < findings->len; i++)
		good = put_finding(store, g_ptr_array_index(findings, i), error);
	return store_finish(store, good, error);
}

bool store_add_later(struct store *store, const struct record_execution *execution, GError **error)
{
	bool good;

	if (!store->holding) /* the caller expects it in the file now */
		return store_add(store, execution, NULL, error);
	good = store_catch_up(store, error);
	store->later = record_execution_share(execution);
	return good;
}

bool store_catch_up(struct store *store, GError **error)
{
	g_autoptr(RecordExecution) execution = g_steal_pointer(&store->later);

	return !execution || store_add(store, execution, NULL, error);
}

bool store_show(struct store *store, uint32_t finding, const uint32_t *executions, size_t count,
                GError **error)
{
	bool good = true;

	if (!store_begin(store, error))
		return false;
	for (size_t i = 0; good && i < count; i++)
		good = put_shows(store, executions[i], finding, error);
	return store_finish(store, good, error);
}
