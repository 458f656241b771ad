#include "store.h"

#include <errno.h>
#include <sqlite3.h>

#include "log.h"
#include "source_text.h"
#include "store_internal.h"
#include "store_schema.h"

enum statement {
	PUT_EXPLORATION,
	PUT_ARGUMENT,
	PUT_NOTE,
	PUT_PLACE,
	PUT_EXCERPT,
	PUT_EXECUTION,
	PUT_SHOWS,
	PUT_ROLL_CALL,
	PUT_PROCESS,
	PUT_CHOICE,
	PUT_ALTERNATIVE,
	PUT_FINDING,
	PUT_OUTCOME,
	DROP_ROLL_CALL,
	DROP_CHOICE,
	DROP_ALTERNATIVE,
	STATEMENTS
};

static const char *const sql[STATEMENTS] = {
	[PUT_EXPLORATION] =
		"REPLACE INTO exploration VALUES (1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_ARGUMENT] = "REPLACE INTO argument VALUES (?,?)",
	[PUT_NOTE] = "REPLACE INTO note VALUES (?,?)",
	[PUT_PLACE] = "REPLACE INTO place VALUES (?,?,?,?,?,?)",
	[PUT_EXCERPT] = "REPLACE INTO excerpt VALUES (?,?,?)",
	[PUT_EXECUTION] = "INSERT INTO execution VALUES (?,?,?,?,?,?,?,?)",
	[PUT_SHOWS] = "INSERT OR IGNORE INTO shows VALUES (?,?)",
	[PUT_ROLL_CALL] = "INSERT INTO roll_call VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_PROCESS] = "INSERT INTO process VALUES (?,?,?,?,?)",
	[PUT_CHOICE] = "INSERT INTO choice VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_ALTERNATIVE] = "INSERT INTO alternative VALUES (?,?,?,?,?,?,?,?,?,?)",
	[PUT_FINDING] = "REPLACE INTO finding VALUES (?,?,?,?,?,?,?,?)",
	[PUT_OUTCOME] = "REPLACE INTO outcome VALUES (?,?,?,?,?,?,?,?)",
	[DROP_ROLL_CALL] = "DELETE FROM roll_call WHERE execution = 0 AND finding = ?",
	[DROP_CHOICE] = "DELETE FROM choice WHERE execution = 0 AND position = ?",
	[DROP_ALTERNATIVE] = "DELETE FROM alternative WHERE execution = 0 AND position = ?",
};

G_DEFINE_QUARK(matchpoint_store_error, store_error)

/* Says what SQLite's last error means to the user; false, for returning it. */
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
		g_set_error(
			error, STORE_ERROR, STORE_ERROR_NOT_A_STORE,
			"%s: this is no store of matchpoint, or it is damaged; remove it, or name "
			"another directory with --store",
			store->file);
		break;
	default:
		g_set_error(error, STORE_ERROR, STORE_ERROR_IO, "%s: cannot be written: %s",
		            store->file, sqlite3_errmsg(store->database));
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

/* The number that a PRAGMA or a query without parameters answers. */
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

/* Refuses what is neither empty nor a store of this version. */
static bool recognise(struct store *store, GError **error)
{
	gint64 application, version, tables;

	if (!ask(store, "PRAGMA application_id", &application, error)
	    || !ask(store, "PRAGMA user_version", &version, error)
	    || !ask(store, "SELECT count(*) FROM sqlite_schema", &tables, error))
		return false;
	if (application == 0 && version == 0 && tables == 0)
		return true;
	if (application != STORE_APPLICATION) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_NOT_A_STORE,
		            "%s: this is a database, but no store of matchpoint; name another "
		            "directory with --store",
		            store->file);
		return false;
	}
	if (version != STORE_VERSION) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_VERSION,
		            "%s: this store has version %" G_GINT64_FORMAT ", and this matchpoint "
		            "writes version %d; remove it, or name another directory with --store",
		            store->file, version, STORE_VERSION);
		return false;
	}
	return true;
}

/* Empties the file and makes the tables. */
static bool renew(struct store *store, GError **error)
{
	g_autofree char *header = g_strdup_printf(
		"PRAGMA application_id = %d; PRAGMA user_version = %d;", STORE_APPLICATION,
		STORE_VERSION);
	bool emptied;

	sqlite3_db_config(store->database, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
	emptied = store_run(store, "VACUUM", error);
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
	return emptied && store_run(store, "PRAGMA journal_mode = WAL", error)
	       && store_run(store, "PRAGMA synchronous = NORMAL", error)
	       && store_run(store, "BEGIN IMMEDIATE", error)
	       && store_run(store, STORE_SCHEMA, error) && store_run(store, header, error)
	       && store_run(store, "COMMIT", error);
}

/* Writes behind what the file holds. */
static bool append(struct store *store, GError **error)
{
	gint64 version;

	if (!ask(store, "PRAGMA user_version", &version, error))
		return false;
	if (version != STORE_VERSION) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_NOT_A_STORE,
		            "%s: nothing was explored into this store", store->file);
		return false;
	}
	if (!store_run(store, "PRAGMA journal_mode = WAL", error)
	    || !store_run(store, "PRAGMA synchronous = NORMAL", error)
	    || !ask(store, "SELECT coalesce(max(id), 0) FROM place", &store->last_place, error))
		return false;
	store->committed_place = store->last_place;
	return true;
}

static struct store *open_store(const char *directory, bool anew, GError **error)
{
	struct store *store = g_new0(struct store, 1);

	store->file = g_build_filename(directory, STORE_FILE, NULL);
	store->places = g_hash_table_new_full(place_hash, place_key_equal, g_free, NULL);
	store->source = source_text_new();
	store->statements = g_new0(sqlite3_stmt *, STATEMENTS);
	stopwatch_start(&store->watch);
	if (!anew && !g_file_test(store->file, G_FILE_TEST_IS_REGULAR)) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_NOT_A_STORE, "%s: there is no store",
		            store->file);
		goto failed;
	}
	if (g_mkdir_with_parents(directory, 0777) != 0) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_IO,
		            "%s: cannot be made: %s; name another directory with --store",
		            directory, g_strerror(errno));
		goto failed;
	}
	if (sqlite3_open_v2(store->file, &store->database,
	                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL)
	    != SQLITE_OK) {
		fail(store, error);
		goto failed;
	}
	if (!store_run(store, "PRAGMA locking_mode = EXCLUSIVE", error) || !recognise(store, error)
	    || !(anew ? renew(store, error) : append(store, error)))
		goto failed;
	for (int i = 0; i < STATEMENTS; i++) {
		store->statements[i] = store_prepare(store, sql[i], error);
		if (!store->statements[i])
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
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(store->statements[i]);
	store_calls_free(store->calls);
	/* leaves one plain file, which can be read from a directory that cannot be written */
	if (store->database)
		sqlite3_exec(store->database, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	sqlite3_close(store->database);
	stopwatch_stop(&store->watch);
	log_debug(LOG_STORE, "%s: written in %.6f s, %.6f s of it computing; %u times", store->file,
	          (double)store->watch.wall / G_USEC_PER_SEC,
	          (double)store->watch.computing / G_USEC_PER_SEC, store->watch.times);
	g_free(store->statements);
	g_clear_error(&store->failed);
	g_hash_table_unref(store->places);
	source_text_free(store->source);
	g_free(store->file);
	g_free(store);
}

const char *store_file(const struct store *store)
{
	return store->file;
}

/* Binds the columns by the letters of `types`: i int64_t, d double, t const char * (NULL is NULL),
 * b GBytes * (NULL is NULL); runs the statement and forgets the values. */
static bool put(struct store *store, enum statement which, GError **error, const char *types, ...)
{
	sqlite3_stmt *statement = store->statements[which];
	va_list values;
	int code;

	va_start(values, types);
	for (int i = 0; types[i]; i++) {
		gsize size = 0;
		GBytes *bytes;
		const void *data;

		switch (types[i]) {
		case 'i':
			sqlite3_bind_int64(statement, i + 1, va_arg(values, gint64));
			break;
		case 'd':
			sqlite3_bind_double(statement, i + 1, va_arg(values, double));
			break;
		case 't':
			sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1,
			                  SQLITE_STATIC);
			break;
		case 'b':
			bytes = va_arg(values, GBytes *);
			data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
			if (bytes && size == 0)
				data = ""; /* an empty value is not NULL */
			sqlite3_bind_blob64(statement, i + 1, data, size, SQLITE_STATIC);
			break;
		default:
			g_assert_not_reached();
		}
	}
	va_end(values);
	code = sqlite3_step(statement);
	if (code != SQLITE_DONE)
		fail(store, error);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return code == SQLITE_DONE;
}

void store_excerpts_from(struct store *store, store_excerpt_find find, void *data)
{
	source_text_from(store->source, find, data);
}

#define I(value) ((gint64)(value))

gint64 store_put_place(struct store *store, const struct place *place, GError **error)
{
	struct record_excerpt excerpt = {0};
	bool good;
	gint64 id;

	if (!place->file && !place->function)
		return 0;
	id = I(GPOINTER_TO_SIZE(g_hash_table_lookup(store->places, place)));
	if (id)
		return id;
	id = store->last_place + 1;
	if (!put(store, PUT_PLACE, error, "ittiti", id, place->directory, place->file,
	         I(place->line), place->function, (gint64)place->offset))
		return -1;
	if (source_text_around(store->source, place, &excerpt)) {
		good = put(store, PUT_EXCERPT, error, "iit", id, I(excerpt.first), excerpt.text);
		g_free(excerpt.text);
		if (!good)
			return -1;
	}
	store->last_place = id;
	g_hash_table_insert(store->places, g_memdup2(place, sizeof(*place)),
	                    GSIZE_TO_POINTER((gsize)id));
	return id;
}

static bool put_message(struct store *store, gint64 execution, gint64 position, gint64 number,
                        const struct record_message *message, GError **error)
{
	gint64 place = store_put_place(store, &message->place, error);

	return place >= 0
	       && put(store, PUT_ALTERNATIVE, error, "iiiiiiiitt", execution, position, number,
	              I(message->source), I(message->tag), I(message->call), I(message->sub), place,
	              message->answer, message->requests);
}

static bool put_choice(struct store *store, gint64 execution, gint64 position,
                       const struct record_choice *choice, GError **error)
{
	gint64 place = store_put_place(store, &choice->place, error);

	if (place < 0
	    || !put(store, PUT_CHOICE, error, "iiiiitiiiiii", execution, position, I(choice->rank),
	            I(choice->call), I(choice->sub), choice->function, place,
	            I(choice->lock.window), I(choice->lock.first), I(choice->lock.target),
	            I(choice->lock.reader), I(choice->lock.grant))
	    || !put_message(store, execution, position, 0, &choice->taken, error))
		return false;
	for (guint i = 0; i < choice->alternatives->len; i++) {
		if (!put_message(store, execution, position, I(i) + 1,
		                 &g_array_index(choice->alternatives, struct record_message, i),
		                 error))
			return false;
	}
	return true;
}

static bool put_roll_call(struct store *store, gint64 execution, gint64 finding,
                          const GPtrArray *ranks, GError **error)
{
	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(ranks, i);
		gint64 place = store_put_place(store, &rank->place, error);
		g_autoptr(GString) waits = g_string_new(NULL);

		for (guint j = 0; j < rank->waits_for->len; j++)
			g_string_append_printf(waits, "%s%d", j ? "," : "",
			                       g_array_index(rank->waits_for, int32_t, j));
		if (place < 0
		    || !put(store, PUT_ROLL_CALL, error, "iiiiittittit", execution, finding, I(i),
		            I(rank->rank), I(rank->call), rank->function, rank->arguments, place,
		            waits->str, rank->ended, I(rank->bystander), rank->does))
			return false;
	}
	return true;
}

static bool put_processes(struct store *store, const struct record_execution *execution,
                          GError **error)
{
	const GPtrArray *outputs = execution->outputs, *errors = execution->errors;

	for (guint i = 0; i < execution->exits->len; i++) {
		if (!put(store, PUT_PROCESS, error, "iiibb", I(execution->id), I(i),
		         I(g_array_index(execution->exits, int32_t, i)),
		         i < outputs->len ? g_ptr_array_index(outputs, i) : NULL,
		         i < errors->len ? g_ptr_array_index(errors, i) : NULL))
			return false;
	}
	return true;
}

static bool put_execution(struct store *store, const struct record_execution *execution,
                          GError **error)
{
	gint64 id = I(execution->id), first_call, first_match;

	if (!store_put_calls(store, execution, &first_call, &first_match, error)
	    || !put(store, PUT_EXECUTION, error, "iittiiii", id, I(execution->buffering),
	            execution->status, execution->path, first_call, I(execution->calls->len),
	            first_match, I(execution->matches->len))
	    || !put_processes(store, execution, error)
	    || !put_roll_call(store, id, 0, execution->ranks, error))
		return false;
	for (guint i = 0; i < execution->findings->len; i++) {
		if (!put(store, PUT_SHOWS, error, "ii", id,
		         I(g_array_index(execution->findings, uint32_t, i))))
			return false;
	}
	for (guint i = 0; i < execution->choices->len; i++) {
		if (!put_choice(store, id, I(i), g_ptr_array_index(execution->choices, i), error))
			return false;
	}
	return true;
}

static bool put_outcomes(struct store *store, const struct record_finding *finding, GError **error)
{
	for (guint i = 0; i < finding->outcomes->len; i++) {
		const struct record_outcome *outcome = finding->outcomes->pdata[i];

		if (!put(store, PUT_OUTCOME, error, "iiiitttt", I(finding->id), I(outcome->number),
		         I(outcome->count), I(outcome->execution), outcome->path, outcome->place,
		         outcome->line, outcome->instead))
			return false;
	}
	return true;
}

static bool put_finding(struct store *store, const struct record_finding *finding, GError **error)
{
	gint64 id = I(finding->id);

	return put(store, DROP_ROLL_CALL, error, "i", id) && put(store, DROP_CHOICE, error, "i", id)
	       && put(store, DROP_ALTERNATIVE, error, "i", id)
	       && put(store, PUT_FINDING, error, "itiittii", id, finding->kind, I(finding->count),
	              I(finding->bufferings), finding->path, finding->message,
	              I(finding->replayed), I(finding->reproduced))
	       && put_roll_call(store, 0, id, finding->ranks, error)
	       && put_outcomes(store, finding, error)
	       && (!finding->blame || put_choice(store, 0, id, finding->blame, error));
}

bool store_put_exploration(struct store *store, const struct record_exploration *exploration,
                           GError **error)
{
	const struct record_exploration *e = exploration;
	bool good;

	source_text_program(store->source, e->program[0]);
	if (!store_begin(store, error))
		return false;
	good = store_run(store, "DELETE FROM argument; DELETE FROM note;", error)
	       && put(store, PUT_EXPLORATION, error, "ttiittttttitiidiiiiit", e->command,
	              e->directory, I(e->ranks), I(e->bufferings), e->backtrack,
	              e->backtrack_reason, e->collectives, e->version, e->mpi,
	              e->machine, I(e->complete), e->incomplete_reason, (gint64)e->interleavings,
	              (gint64)e->wasted, e->seconds, I(e->shard), I(e->shards), I(e->random),
	              I(e->seed), I(e->runs), e->standard_input);
	for (guint i = 0; good && e->program[i]; i++) {
		g_autoptr(GBytes) value = g_bytes_new(e->program[i], strlen(e->program[i]));

		good = put(store, PUT_ARGUMENT, error, "ib", I(i), value);
	}
	for (guint i = 0; good && i < e->notes->len; i++)
		good = put(store, PUT_NOTE, error, "it", I(i), g_ptr_array_index(e->notes, i));
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

bool store_show(struct store *store, uint32_t finding, const uint32_t *executions, size_t count,
                GError **error)
{
	bool good = true;

	if (!store_begin(store, error))
		return false;
	for (size_t i = 0; good && i < count; i++)
		good = put(store, PUT_SHOWS, error, "ii", I(executions[i]), I(finding));
	return store_finish(store, good, error);
}
