#include "explorer/rank_name.h"
#include "reader_rows.h"
#include "variants.h"

#include "explorer/path.h"
#include "schema.h"

G_DEFINE_QUARK(matchpoint_store_reader_error, store_reader_error)

static bool take_place(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	GArray *places = data;

	if (row->keys[0] != places->len)
		return rows_damaged(reader, "its places are not numbered in order", error);
	g_array_append_vals(places, row->record, 1);
	return true;
}

static bool read_places(struct store_reader *reader, GError **error)
{
	g_array_set_size(reader->places, 1); /* place 0: not known */
	return rows_each(reader, GET_PLACES, take_place, reader->places, error);
}

static bool read_examples(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *row = rows_prepare(
		reader, "SELECT finding, min(execution) FROM shows GROUP BY finding", error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1)
		g_hash_table_insert(reader->examples,
		                    GSIZE_TO_POINTER((gsize)sqlite3_column_int64(row, 0)),
		                    GSIZE_TO_POINTER((gsize)sqlite3_column_int64(row, 1)));
	sqlite3_finalize(row);
	return row && code == 0;
}

static void excerpt_free(gpointer data)
{
	struct record_excerpt *excerpt = data;

	g_free(excerpt->text);
	g_free(excerpt);
}

static bool take_excerpt(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	const struct record_excerpt *told = row->record;
	gint64 id = row->keys[0];
	struct record_excerpt *excerpt;

	if (id <= 0 || id >= reader->places->len || !told->text)
		return rows_damaged(reader, "an excerpt belongs to no place", error);
	excerpt = g_new0(struct record_excerpt, 1);
	row_move(row, excerpt);
	g_hash_table_replace(data, &g_array_index(reader->places, struct place, id), excerpt);
	return true;
}

static bool take_communicator(struct store_reader *reader, struct row *row, void *data,
                              GError **error)
{
	(void)reader;
	(void)error;
	g_hash_table_replace(data, g_memdup2(&row->keys[0], sizeof(row->keys[0])),
	                     g_memdup2(row->record, sizeof(struct communicator_row)));
	return true;
}

static bool take_argument(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	const struct bytes_row *argument = row->record;
	const char *bytes;
	gsize size;

	if (!argument->value)
		return rows_damaged(reader, "an argument of the program is missing", error);
	bytes = g_bytes_get_data(argument->value, &size);
	g_ptr_array_add(data, size > 0 ? g_strndup(bytes, size) : g_strdup(""));
	return true;
}

static bool take_limit(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	struct limit_row row_limit = {NULL};
	enum limit limit;

	row_move(row, &row_limit);
	if (!limit_find(row_limit.name, &limit) || !row_limit.text) {
		g_free(row_limit.text);
		return rows_damaged(reader, "it has a limit of an unknown kind", error);
	}
	limits_add(data, limit, row_limit.text);
	return true;
}

static bool take_note(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	struct text_row note = {NULL};

	(void)reader;
	(void)error;
	row_move(row, &note);
	g_ptr_array_add(data, note.value ? note.value : g_strdup(""));
	return true;
}

static bool take_exploration(struct store_reader *reader, struct row *row, void *data,
                             GError **error)
{
	struct record_exploration *e = data;

	(void)reader;
	(void)error;
	row_move(row, e);
	e->bufferings &= RECORD_BUFFERINGS;
	e->shard = MIN(e->shard, e->shards);
	if (!(e->seconds >= 0 && e->seconds < 1e12)) /* also rejects NaN */
		e->seconds = 0;
	return true;
}

static bool read_program(struct store_reader *reader, GError **error)
{
	g_autoptr(GPtrArray) program = g_ptr_array_new_with_free_func(g_free);

	if (!rows_each(reader, GET_ARGUMENTS, take_argument, program, error))
		return false;
	if (program->len == 0)
		return rows_damaged(reader, "it names no program", error);
	g_ptr_array_add(program, NULL);
	g_strfreev(reader->exploration->program);
	reader->exploration->program = (GStrv)g_ptr_array_free(g_steal_pointer(&program), false);
	rank_names_set(reader->exploration->program, reader->exploration->ranks);
	return true;
}

/* All paths have the same condition. Damage is found elsewhere. */
static const char *read_nodes(const struct store_reader *reader)
{
	const char *nodes = NULL;
	sqlite3_stmt *row = rows_prepare(reader, "SELECT path FROM execution LIMIT 1", NULL);

	if (row && sqlite3_step(row) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(row, 0);
		struct path *path = text ? path_parse(text, NULL) : NULL;

		nodes = path ? path->nodes : NULL;
		path_free(path);
	}
	sqlite3_finalize(row);
	return nodes;
}

static bool read_exploration(struct store_reader *reader, GError **error)
{
	struct record_exploration *e = reader->exploration = record_exploration_new();

	e->ranks = -1;
	if (!rows_each(reader, GET_EXPLORATION, take_exploration, e, error))
		return false;
	if (e->ranks < 0) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING,
		            "%s: this store has no exploration", reader->file);
		return false;
	}
	e->nodes = read_nodes(reader);
	return read_program(reader, error)
	       && rows_each(reader, GET_LIMITS, take_limit, e->limits, error)
	       && rows_each(reader, GET_NOTES, take_note, e->notes, error);
}

static bool take_given(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	const struct record_finding *finding = store_reader_finding(reader, (uint32_t)row->keys[0]);

	(void)data;
	if (!finding)
		return rows_damaged(reader, "an argument belongs to no finding", error);
	g_array_append_vals(finding->given, row->record, 1);
	return true;
}

static bool take_outcome(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	const struct record_finding *finding = store_reader_finding(reader, (uint32_t)row->keys[0]);
	struct record_outcome *outcome;

	(void)data;
	if (!finding)
		return rows_damaged(reader, "an outcome belongs to no finding", error);
	outcome = g_new0(struct record_outcome, 1);
	row_move(row, outcome);
	if (!outcome->path)
		outcome->path = g_strdup("");
	g_ptr_array_add(finding->outcomes, outcome);
	return true;
}

static bool read_blame(struct store_reader *reader, struct record_finding *finding, GError **error)
{
	g_autoptr(GPtrArray)
		choices = g_ptr_array_new_with_free_func((GDestroyNotify)record_choice_free);
	gint64 example = rows_example(reader, finding->id);
	struct record_choice *blame;

	if (!rows_choices(reader, 0, finding->id, choices, error))
		return false;
	if (choices->len == 0)
		return true;
	finding->blame = blame = record_choice_copy(choices->pdata[0]);
	return rows_stack(reader, example, blame->rank, blame->call, &blame->place, &blame->stack,
	                  error)
	       && rows_choice_places(reader, example, blame, error);
}

static bool take_finding(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	struct record_finding *finding = record_finding_new(FINDING_NONE);

	row_move(row, finding);
	if (!finding->path)
		finding->path = g_strdup("");
	g_ptr_array_add(data, finding);
	return rows_roll_call(reader, 0, finding->id, finding->ranks, error)
	       && read_blame(reader, finding, error);
}

static bool read_findings(struct store_reader *reader, GError **error)
{
	return rows_each(reader, GET_FINDINGS, take_finding, reader->findings, error)
	       && rows_each(reader, GET_GIVEN, take_given, NULL, error)
	       && rows_each(reader, GET_OUTCOMES, take_outcome, NULL, error);
}

static struct store_reader *open_reader(const char *directory, bool tells, GError **error)
{
	struct store_reader *reader = g_new0(struct store_reader, 1);

	reader->tells = tells;
	reader->sites = g_array_new(false, false, sizeof(struct place));
	reader->place = g_strdup(directory);
	reader->file = g_file_test(directory, G_FILE_TEST_IS_DIR)
	                       ? g_build_filename(directory, STORE_FILE, NULL)
	                       : g_strdup(directory);
	reader->places = g_array_new(false, true, sizeof(struct place));
	reader->stacks = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	reader->shared = g_hash_table_new(place_hash, place_key_equal);
	reader->examples = g_hash_table_new(NULL, NULL);
	reader->excerpts = g_hash_table_new_full(place_hash, place_key_equal, NULL, excerpt_free);
	reader->communicators = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	reader->findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	reader->mistakes = g_ptr_array_new();
	if (!reader_open_file(reader, error))
		goto failed;
	if (!rows_prepare_all(reader, error) || !read_exploration(reader, error)
	    || !read_places(reader, error)
	    || !rows_each(reader, GET_EXCERPTS, take_excerpt, reader->excerpts, error)
	    || !rows_stacks(reader, error) || !read_examples(reader, error)
	    || !rows_each(reader, GET_COMMUNICATORS, take_communicator, reader->communicators,
	                  error)
	    || !rows_weights(reader, error) || !rows_common(reader, error)
	    || !read_findings(reader, error) || !variants_find(reader, error))
		goto failed;
	return reader;
failed:
	if (error && !*error)
		rows_damaged(reader, "it cannot be read", error);
	store_reader_close(reader);
	return NULL;
}

struct store_reader *store_reader_open(const char *directory, GError **error)
{
	return open_reader(directory, false, error);
}

struct store_reader *store_reader_open_to_tell(const char *directory, GError **error)
{
	return open_reader(directory, true, error);
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
	g_clear_pointer(&reader->weights, g_hash_table_unref);
	g_clear_pointer(&reader->indices, g_hash_table_unref);
	g_hash_table_unref(reader->excerpts);
	g_hash_table_unref(reader->examples);
	g_hash_table_unref(reader->shared);
	g_ptr_array_unref(reader->stacks);
	g_array_unref(reader->sites);
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

typedef struct record_execution *read_record(struct store_reader *reader, gint64 id,
                                             GError **error);

/* Reads with `read` those whose ids the query gives. */
static bool each(struct store_reader *reader, const char *query, read_record *read,
                 store_reader_visit visit, void *data, GError **error)
{
	sqlite3_stmt *row = rows_prepare(reader, query, error);
	int code = -1;

	while (row && (code = rows_step(reader, row, error)) == 1) {
		g_autoptr(RecordExecution)
			execution = read(reader, sqlite3_column_int64(row, 0), error);

		if (!execution || !visit(execution, data, error)) {
			code = -1;
			break;
		}
	}
	sqlite3_finalize(row);
	return code == 0;
}

#define ALL_EXECUTIONS "SELECT id FROM execution ORDER BY id"

bool store_reader_each(struct store_reader *reader, bool with_findings_only,
                       store_reader_visit visit, void *data, GError **error)
{
	return each(reader,
	            with_findings_only ? "SELECT DISTINCT execution FROM shows ORDER BY execution"
	                               : ALL_EXECUTIONS,
	            rows_execution, visit, data, error);
}

bool store_reader_each_output(struct store_reader *reader, store_reader_visit visit, void *data,
                              GError **error)
{
	return each(reader, ALL_EXECUTIONS, rows_output, visit, data, error);
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
