#include "store_rows.h"
#include "variants.h"

#include <errno.h>
#include <sys/stat.h>

#include "../scheduler/store_schema.h"

G_DEFINE_QUARK(matchpoint_store_reader_error, store_reader_error)

static bool read_places(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *row = rows_prepare(
		reader, "SELECT id, file, line, function, offset, directory FROM place ORDER BY id",
		error);
	int code = -1;

	g_array_set_size(reader->places, 1); /* 0: not known */
	while (row && (code = rows_step(reader, row, error)) == 1) {
		struct place place = {.directory = rows_name(row, 5),
		                      .file = rows_name(row, 1),
		                      .line = rows_count(row, 2),
		                      .function = rows_name(row, 3),
		                      .offset = (uint64_t)sqlite3_column_int64(row, 4)};

		if (sqlite3_column_int64(row, 0) != reader->places->len) {
			sqlite3_finalize(row);
			return rows_damaged(reader, "its places are not numbered in order", error);
		}
		g_array_append_val(reader->places, place);
	}
	sqlite3_finalize(row);
	return row && code == 0;
}

static bool read_examples(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *row = rows_prepare(
		reader, "SELECT finding, min(execution) FROM shows GROUP BY finding", error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1)
		g_hash_table_insert(reader->examples, GSIZE_TO_POINTER(rows_count(row, 0)),
		                    GSIZE_TO_POINTER(rows_count(row, 1)));
	sqlite3_finalize(row);
	return row && code == 0;
}

static void excerpt_free(gpointer data)
{
	struct record_excerpt *excerpt = data;

	g_free(excerpt->text);
	g_free(excerpt);
}

static bool read_excerpts(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *row = rows_prepare(reader, "SELECT place, first, text FROM excerpt", error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1) {
		gint64 id = sqlite3_column_int64(row, 0);
		char *text = rows_text(row, 2);
		struct record_excerpt *excerpt;

		if (id <= 0 || id >= reader->places->len || !text) {
			g_free(text);
			sqlite3_finalize(row);
			return rows_damaged(reader, "an excerpt belongs to no place", error);
		}
		excerpt = g_new(struct record_excerpt, 1);
		*excerpt = (struct record_excerpt){rows_count(row, 1), text};
		g_hash_table_replace(reader->excerpts,
		                     &g_array_index(reader->places, struct place, id), excerpt);
	}
	sqlite3_finalize(row);
	return row && code == 0;
}

static bool read_communicators(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *row = rows_prepare(reader, "SELECT number, name, members FROM communicator",
	                                 error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1) {
		gint64 number = sqlite3_column_int64(row, 0);
		struct rows_communicator communicator = {rows_name(row, 1), rows_name(row, 2)};

		g_hash_table_replace(reader->communicators, g_memdup2(&number, sizeof(number)),
		                     g_memdup2(&communicator, sizeof(communicator)));
	}
	sqlite3_finalize(row);
	return row && code == 0;
}

/* Appends the value of the only column of every row to an array of char *. */
static bool read_texts(struct store_reader *reader, const char *text, GPtrArray *texts,
                       GError **error)
{
	sqlite3_stmt *row = rows_prepare(reader, text, error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1)
		g_ptr_array_add(texts, g_strdup((const char *)sqlite3_column_text(row, 0)));
	sqlite3_finalize(row);
	return row && code == 0;
}

static void exploration_columns(struct record_exploration *e, sqlite3_stmt *row)
{
	e->command = rows_name(row, 0);
	e->directory = rows_text(row, 1);
	e->ranks = rows_rank(row, 2);
	e->bufferings = rows_count(row, 3) & RECORD_BUFFERINGS;
	e->backtrack = rows_name(row, 4);
	e->backtrack_reason = rows_text(row, 5);
	e->collectives = rows_name(row, 6);
	e->version = rows_text(row, 7);
	e->mpi = rows_text(row, 8);
	e->complete = sqlite3_column_int(row, 9) != 0;
	e->incomplete_reason = rows_text(row, 10);
	e->machine = rows_text(row, 15);
	e->wasted = (uint64_t)rows_number(row, 11, 0, G_MAXINT64);
	e->seconds = sqlite3_column_double(row, 12);
	if (!(e->seconds >= 0 && e->seconds < 1e12)) /* or no number at all */
		e->seconds = 0;
	e->shards = rows_count(row, 14);
	e->shard = MIN(rows_count(row, 13), e->shards);
	e->random = sqlite3_column_int(row, 16) != 0;
	e->seed = (uint64_t)rows_number(row, 17, 0, G_MAXINT64);
	e->runs = (uint64_t)rows_number(row, 18, 0, G_MAXINT64);
	e->standard_input = rows_text(row, 19);
}

static bool read_exploration(struct store_reader *reader, GError **error)
{
	struct record_exploration *e = reader->exploration = record_exploration_new();
	g_autoptr(GPtrArray) program = g_ptr_array_new_with_free_func(g_free);
	sqlite3_stmt *row = rows_prepare(
		reader,
		"SELECT command, directory, ranks, bufferings, backtrack, backtrack_reason,"
		" collectives, version, mpi, complete, incomplete_reason, wasted, seconds,"
		" shard, shards, machine, random, seed, runs, standard_input"
		" FROM exploration",
		error);
	int code = row ? rows_step(reader, row, error) : -1;

	if (code == 1)
		exploration_columns(e, row);
	sqlite3_finalize(row);
	if (code == 0)
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING,
		            "%s: nothing was explored into this store", reader->file);
	if (code != 1)
		return false;
	if (!read_texts(reader, "SELECT CAST(value AS TEXT) FROM argument ORDER BY position",
	                program, error)
	    || !read_texts(reader, "SELECT value FROM note ORDER BY position", e->notes, error))
		return false;
	for (guint i = 0; i < program->len; i++) {
		if (!g_ptr_array_index(program, i))
			return rows_damaged(reader, "an argument of the program is missing", error);
	}
	if (program->len == 0)
		return rows_damaged(reader, "it names no program", error);
	g_ptr_array_add(program, NULL);
	g_strfreev(e->program);
	e->program = (GStrv)g_ptr_array_free(g_steal_pointer(&program), FALSE);
	return true;
}

static bool read_outcomes(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *row = rows_prepare(
		reader,
		"SELECT finding, number, count, execution, path, place, line, instead"
		" FROM outcome ORDER BY finding, number",
		error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1) {
		const struct record_finding *finding = store_reader_finding(reader,
		                                                            rows_count(row, 0));
		struct record_outcome *outcome;

		if (!finding) {
			sqlite3_finalize(row);
			return rows_damaged(reader, "an outcome belongs to no finding", error);
		}
		outcome = g_new0(struct record_outcome, 1);
		outcome->number = rows_count(row, 1);
		outcome->count = rows_count(row, 2);
		outcome->execution = rows_count(row, 3);
		outcome->path = rows_text(row, 4);
		outcome->place = rows_text(row, 5);
		outcome->line = rows_text(row, 6);
		outcome->instead = rows_text(row, 7);
		if (!outcome->path)
			outcome->path = g_strdup("");
		g_ptr_array_add(finding->outcomes, outcome);
	}
	sqlite3_finalize(row);
	return row && code == 0;
}

static bool read_findings(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *row = rows_prepare(
		reader,
		"SELECT id, kind, count, bufferings, path, message, replayed, reproduced"
		" FROM finding ORDER BY id",
		error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1) {
		g_autoptr(GPtrArray)
			blame = g_ptr_array_new_with_free_func((GDestroyNotify)record_choice_free);
		const char *kind = rows_name(row, 1);
		struct record_finding *finding = record_finding_new(kind ? kind : "unknown");

		g_ptr_array_add(reader->findings, finding);
		finding->id = rows_count(row, 0);
		finding->count = rows_count(row, 2);
		finding->bufferings = rows_count(row, 3);
		finding->path = rows_text(row, 4);
		finding->message = rows_text(row, 5);
		finding->replayed = sqlite3_column_int(row, 6) != 0;
		finding->reproduced = sqlite3_column_int(row, 7) != 0;
		if (!finding->path)
			finding->path = g_strdup("");
		if (!rows_roll_call(reader, 0, finding->id, finding->ranks, error)
		    || !rows_choices(reader, 0, finding->id, blame, error)) {
			code = -1;
			break;
		}
		if (blame->len == 0)
			continue;
		finding->blame = record_choice_copy(g_ptr_array_index(blame, 0));
		if (!rows_stack(reader, rows_example(reader, finding->id), finding->blame->rank,
		                finding->blame->call, &finding->blame->place,
		                &finding->blame->stack, error)) {
			code = -1;
			break;
		}
	}
	sqlite3_finalize(row);
	return code == 0;
}

/* Whether the tables are those of STORE_SCHEMA to the letter: views or triggers put in their place
 * would have the reader run somebody else's SQL. */
static bool check_schema(struct store_reader *reader, GError **error)
{
	static const char query[] = "SELECT coalesce(group_concat(sql, ';'), '') FROM"
				    " (SELECT sql FROM sqlite_schema ORDER BY name)";
	sqlite3_stmt *here = rows_prepare(reader, query, error), *there = NULL;
	sqlite3 *model = NULL;
	bool same = false;

	if (here && sqlite3_open(":memory:", &model) == SQLITE_OK
	    && sqlite3_exec(model, STORE_SCHEMA, NULL, NULL, NULL) == SQLITE_OK
	    && sqlite3_prepare_v2(model, query, -1, &there, NULL) == SQLITE_OK) {
		int code = rows_step(reader, here, error);

		if (code == 1 && sqlite3_step(there) == SQLITE_ROW) {
			same = g_strcmp0((const char *)sqlite3_column_text(here, 0),
			                 (const char *)sqlite3_column_text(there, 0))
			       == 0;
			if (!same)
				rows_damaged(reader, "its tables are not those of matchpoint",
				             error);
		}
	}
	sqlite3_finalize(here);
	sqlite3_finalize(there);
	sqlite3_close(model);
	return same;
}

static bool pragma(struct store_reader *reader, const char *text, gint64 *ret, GError **error)
{
	sqlite3_stmt *row = rows_prepare(reader, text, error);
	int code = row ? rows_step(reader, row, error) : -1;

	if (code == 1)
		*ret = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return code == 1;
}

static bool check_header(struct store_reader *reader, GError **error)
{
	gint64 application, version;

	if (!pragma(reader, "PRAGMA application_id", &application, error)
	    || !pragma(reader, "PRAGMA user_version", &version, error))
		return false;
	if (application == 0 && version == 0) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING,
		            "%s: nothing was explored into this store", reader->file);
		return false;
	}
	if (application != STORE_APPLICATION) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_DAMAGED,
		            "%s: this is a database, but no store of matchpoint", reader->file);
		return false;
	}
	if (version != STORE_VERSION) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_VERSION,
		            "%s: this store has version %" G_GINT64_FORMAT ", and this matchpoint "
		            "reads version %d; explore again",
		            reader->file, version, STORE_VERSION);
		return false;
	}
	return true;
}

/* Makes one plain file of what a killed writer left behind. That may be impossible (the disk is
 * full, the directory read-only), and is then no hindrance to reading. */
static bool recover(struct store_reader *reader, GError **error)
{
	g_autoptr(GError) problem = NULL;
	gint64 ignored;
	int code;

	if (pragma(reader, "PRAGMA journal_mode = DELETE", &ignored, &problem))
		return true;
	code = sqlite3_errcode(reader->database) & 0xff;
	if (code == SQLITE_FULL || code == SQLITE_READONLY || code == SQLITE_IOERR)
		return true;
	g_propagate_error(error, g_steal_pointer(&problem));
	return false;
}

static bool open_database(struct store_reader *reader, GError **error)
{
	struct stat status;

	if (stat(reader->file, &status) != 0 && errno != ENOENT && errno != ENOTDIR)
		return rows_unreadable(reader, errno, NULL, error);
	if (!g_file_test(reader->file, G_FILE_TEST_IS_REGULAR)) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING,
		            "%s: there is no store; name its directory, the one given to explore "
		            "with --store",
		            reader->file);
		return false;
	}
	/* falls back to read-only by itself when the file cannot be written */
	if (sqlite3_open_v2(reader->file, &reader->database,
	                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
	    != SQLITE_OK)
		return rows_fail(reader, error);
	sqlite3_db_config(reader->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(reader->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return sqlite3_exec(reader->database,
	                    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON", NULL,
	                    NULL, NULL)
	               == SQLITE_OK
	       && recover(reader, error);
}

struct store_reader *store_reader_open(const char *directory, GError **error)
{
	struct store_reader *reader = g_new0(struct store_reader, 1);

	reader->place = g_strdup(directory);
	reader->file = g_file_test(directory, G_FILE_TEST_IS_DIR)
	                       ? g_build_filename(directory, STORE_FILE, NULL)
	                       : g_strdup(directory);
	reader->places = g_array_new(FALSE, TRUE, sizeof(struct place));
	reader->stacks = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	reader->shared = g_hash_table_new(place_hash, place_key_equal);
	reader->examples = g_hash_table_new(NULL, NULL);
	reader->excerpts = g_hash_table_new_full(place_hash, place_key_equal, NULL, excerpt_free);
	reader->communicators = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	reader->findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	reader->mistakes = g_ptr_array_new();
	if (!open_database(reader, error) || !check_header(reader, error)
	    || !check_schema(reader, error))
		goto failed;
	if (!rows_prepare_all(reader, error) || !read_exploration(reader, error)
	    || !read_places(reader, error) || !read_excerpts(reader, error)
	    || !rows_stacks(reader, error) || !read_examples(reader, error)
	    || !read_communicators(reader, error) || !read_findings(reader, error)
	    || !read_outcomes(reader, error) || !variants_find(reader, error))
		goto failed;
	reader->exploration->interleavings = store_reader_count(reader);
	return reader;
failed:
	if (error && !*error)
		rows_damaged(reader, "it cannot be read", error);
	store_reader_close(reader);
	return NULL;
}

const char *store_reader_place(const struct store_reader *reader)
{
	return reader->place;
}

void store_reader_passes(struct store_reader *reader)
{
	g_clear_pointer(&reader->place, g_free);
}

void store_reader_close(struct store_reader *reader)
{
	if (!reader)
		return;
	g_free(reader->place);
	for (int i = 0; i < QUERIES; i++)
		sqlite3_finalize(reader->statements[i]);
	sqlite3_close(reader->database);
	record_exploration_free(reader->exploration);
	g_ptr_array_unref(reader->mistakes);
	g_ptr_array_unref(reader->findings);
	g_hash_table_unref(reader->excerpts);
	g_hash_table_unref(reader->examples);
	g_hash_table_unref(reader->shared);
	g_ptr_array_unref(reader->stacks);
	g_hash_table_unref(reader->communicators);
	g_array_unref(reader->places);
	g_free(reader->file);
	g_free(reader);
}

const struct record_exploration *store_reader_exploration(const struct store_reader *reader)
{
	return reader->exploration;
}

const GPtrArray *store_reader_findings(const struct store_reader *reader)
{
	return reader->findings;
}

const GPtrArray *store_reader_mistakes(const struct store_reader *reader)
{
	return reader->mistakes;
}

const struct record_finding *store_reader_finding(const struct store_reader *reader, uint32_t id)
{
	for (guint i = 0; i < reader->findings->len; i++) {
		const struct record_finding *finding = g_ptr_array_index(reader->findings, i);

		if (finding->id == id)
			return finding;
	}
	return NULL;
}

uint64_t store_reader_count_kind(const struct store_reader *reader, const char *kind)
{
	sqlite3_stmt *row = rows_prepare(
		reader,
		"SELECT count(DISTINCT execution) FROM shows JOIN finding"
		" ON finding.id = shows.finding WHERE kind = ? OR ?1 IS NULL",
		NULL);
	uint64_t count = 0;

	if (!row)
		return 0;
	sqlite3_bind_text(row, 1, kind, -1, SQLITE_STATIC);
	if (sqlite3_step(row) == SQLITE_ROW)
		count = (uint64_t)sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return count;
}

uint64_t store_reader_count_buffering(const struct store_reader *reader, uint32_t buffering)
{
	sqlite3_stmt *row = rows_prepare(
		reader, "SELECT count(*) FROM execution WHERE buffering = ?", NULL);
	uint64_t count = 0;

	if (!row)
		return 0;
	sqlite3_bind_int64(row, 1, buffering);
	if (sqlite3_step(row) == SQLITE_ROW)
		count = (uint64_t)sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return count;
}

uint64_t store_reader_count(const struct store_reader *reader)
{
	sqlite3_stmt *row = rows_prepare(reader, "SELECT count(*) FROM execution", NULL);
	uint64_t count = 0;

	if (row && sqlite3_step(row) == SQLITE_ROW)
		count = (uint64_t)sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return count;
}

bool store_reader_each(struct store_reader *reader, bool with_findings_only,
                       store_reader_visit visit, void *data, GError **error)
{
	sqlite3_stmt *row = rows_prepare(
		reader,
		with_findings_only ? "SELECT DISTINCT execution FROM shows ORDER BY execution"
				   : "SELECT id FROM execution ORDER BY id",
		error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1) {
		g_autoptr(RecordExecution)
			execution = rows_execution(reader, sqlite3_column_int64(row, 0), error);

		if (!execution || !visit(execution, data, error)) {
			code = -1;
			break;
		}
	}
	sqlite3_finalize(row);
	return code == 0;
}

struct record_execution *store_reader_example(struct store_reader *reader, uint32_t finding,
                                              GError **error)
{
	sqlite3_stmt *row = rows_prepare(
		reader, "SELECT coalesce(min(execution), 0) FROM shows WHERE finding = ?", error);
	gint64 id = 0;

	if (!row)
		return NULL;
	sqlite3_bind_int64(row, 1, finding);
	if (sqlite3_step(row) == SQLITE_ROW)
		id = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	if (id == 0) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING,
		            "%s: no interleaving shows finding %u", reader->file, finding);
		return NULL;
	}
	return rows_execution(reader, id, error);
}

struct record_execution *store_reader_execution(struct store_reader *reader, uint32_t id,
                                                GError **error)
{
	if (id == 0 || id > store_reader_count(reader)) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING,
		            "%s: there is no interleaving %u; there are %" G_GUINT64_FORMAT,
		            reader->file, id, store_reader_count(reader));
		return NULL;
	}
	return rows_execution(reader, id, error);
}

struct record_execution *store_reader_well(struct store_reader *reader, uint32_t buffering,
                                           GError **error)
{
	sqlite3_stmt *row = rows_prepare(
		reader,
		"SELECT coalesce(min(id), 0) FROM execution WHERE status = 'ok' AND buffering = ?"
		" AND calls > 0",
		error);
	gint64 id = 0;
	int code = -1;

	if (!row)
		return NULL;
	sqlite3_bind_int64(row, 1, buffering);
	code = rows_step(reader, row, error);
	if (code == 1)
		id = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return id == 0 ? NULL : rows_execution(reader, id, error);
}

const struct record_excerpt *store_reader_excerpt(const struct store_reader *reader,
                                                  const struct place *place)
{
	return g_hash_table_lookup(reader->excerpts, place);
}
