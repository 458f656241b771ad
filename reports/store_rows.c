#include "store_rows.h"

#include <errno.h>

#define RANKS_MAX 65536

static const char *const sql[QUERIES] = {
	[GET_EXECUTION] =
		"SELECT id, buffering, status, path, first_call, calls, first_match, matches"
		" FROM execution WHERE id = ?",
	[GET_SHOWS] = "SELECT finding FROM shows WHERE execution = ? ORDER BY finding",
	[GET_ROLL_CALL] =
		"SELECT rank, call, function, arguments, place, waits_for, ended, bystander,"
		" does FROM roll_call WHERE execution = ? AND finding = ? ORDER BY position",
	[GET_PROCESSES] = "SELECT rank, exit, output, error FROM process WHERE execution = ?"
			  " ORDER BY rank",
	[GET_CHOICES] = "SELECT position, rank, call, sub, function, place, window,"
			" window_first, target, reader, granted FROM choice"
			" WHERE execution = ? AND (position = ?2 OR ?2 < 0) ORDER BY position",
	[GET_ALTERNATIVES] =
		"SELECT number, source, tag, call, sub, place, answer, requests FROM alternative"
		" WHERE execution = ? AND position = ? ORDER BY number",
	[GET_MATCHES] = "SELECT rank, call, sub, source, send_call, send_sub, tag FROM match"
			" WHERE id BETWEEN ?2 AND ?3 AND execution = ?1 ORDER BY id",
	[GET_CALLS] = "SELECT rank, call, kind, operations, function, place, communicator, peer,"
		      " peer_given, tag, bytes, collective, completed, stack, waits, asked"
		      " FROM call"
		      " LEFT JOIN stands USING (execution, rank, call)"
		      " WHERE id BETWEEN ?2 AND ?3 AND execution = ?1 ORDER BY id",
	[GET_STACK] = "SELECT stack FROM stands WHERE execution = ? AND rank = ? AND call = ?",
};

bool rows_damaged(const struct store_reader *reader, const char *what, GError **error)
{
	g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_DAMAGED,
	            "%s: this store is damaged: %s", reader->file, what);
	return false;
}

bool rows_unreadable(const struct store_reader *reader, int number, const char *otherwise,
                     GError **error)
{
	g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_UNREADABLE,
	            "%s: cannot be read: %s", reader->file,
	            number ? g_strerror(number) : otherwise);
	return false;
}

bool rows_fail(const struct store_reader *reader, GError **error)
{
	int number = sqlite3_system_errno(reader->database);

	switch (sqlite3_errcode(reader->database) & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_BUSY,
		            "%s: an exploration is writing to it; wait until it has ended",
		            reader->file);
		return false;
	case SQLITE_NOTADB:
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_DAMAGED,
		            "%s: this is no store of matchpoint", reader->file);
		return false;
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_READONLY:
	case SQLITE_IOERR:
		return rows_unreadable(reader, number, sqlite3_errmsg(reader->database), error);
	case SQLITE_FULL:
		return rows_unreadable(reader, ENOSPC, NULL, error);
	default:
		return rows_damaged(reader, sqlite3_errmsg(reader->database), error);
	}
}

/* Steps a statement: 1 a row, 0 the end (the statement is reset), -1 an error. */
int rows_step(const struct store_reader *reader, sqlite3_stmt *statement, GError **error)
{
	int code = sqlite3_step(statement);

	if (code == SQLITE_ROW)
		return 1;
	if (code != SQLITE_DONE)
		rows_fail(reader, error);
	sqlite3_reset(statement);
	return code == SQLITE_DONE ? 0 : -1;
}

sqlite3_stmt *rows_prepare(const struct store_reader *reader, const char *text, GError **error)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(reader->database, text, -1, &statement, NULL) != SQLITE_OK)
		rows_fail(reader, error);
	return statement;
}

/* Text that is valid UTF-8 and has no control characters but tab and newline; free with g_free. */
char *rows_text(sqlite3_stmt *row, int column)
{
	const char *bytes = (const char *)sqlite3_column_text(row, column);
	char *text;

	if (!bytes)
		return NULL;
	text = g_utf8_make_valid(bytes, -1);
	for (char *at = text; *at; at++) {
		if ((unsigned char)*at < ' ' && *at != '\t' && *at != '\n')
			*at = '?';
	}
	return text;
}

const char *rows_name(sqlite3_stmt *row, int column)
{
	g_autofree char *text = rows_text(row, column);

	return text ? g_intern_string(text) : NULL;
}

/* An integer within the range, or the nearest bound: a report must not fail for an odd number. */
gint64 rows_number(sqlite3_stmt *row, int column, gint64 least, gint64 most)
{
	return CLAMP(sqlite3_column_int64(row, column), least, most);
}

int32_t rows_rank(sqlite3_stmt *row, int column)
{
	return (int32_t)rows_number(row, column, 0, RANKS_MAX);
}

uint32_t rows_count(sqlite3_stmt *row, int column)
{
	return (uint32_t)rows_number(row, column, 0, G_MAXUINT32);
}

static GBytes *bytes_column(sqlite3_stmt *row, int column)
{
	const void *data = sqlite3_column_blob(row, column);

	return g_bytes_new(data, (gsize)sqlite3_column_bytes(row, column));
}

struct place rows_place(const struct store_reader *reader, sqlite3_stmt *row, int column)
{
	gint64 id = sqlite3_column_int64(row, column);

	if (id <= 0 || id >= reader->places->len)
		return (struct place){0};
	return g_array_index(reader->places, struct place, id);
}

/* The number of a stack that is known and ends at that place, or 0. */
static uint32_t stack_column(const struct store_reader *reader, sqlite3_stmt *row, int column,
                             const struct place *place)
{
	gint64 number = sqlite3_column_int64(row, column);
	const GArray *frames;

	if (number <= 0 || number > reader->stacks->len)
		return 0;
	frames = reader->stacks->pdata[number - 1];
	return place_equal(&g_array_index(frames, struct record_frame, 0).place, place)
	               ? (uint32_t)number
	               : 0;
}

gint64 rows_example(const struct store_reader *reader, gint64 finding)
{
	return (gint64)GPOINTER_TO_SIZE(
		g_hash_table_lookup(reader->examples, GSIZE_TO_POINTER((gsize)finding)));
}

bool rows_stack(struct store_reader *reader, gint64 execution, int32_t rank, uint32_t call,
                const struct place *place, uint32_t *ret, GError **error)
{
	sqlite3_stmt *row = reader->statements[GET_STACK];
	int code;

	sqlite3_bind_int64(row, 1, execution);
	sqlite3_bind_int64(row, 2, rank);
	sqlite3_bind_int64(row, 3, call);
	code = rows_step(reader, row, error);
	if (code == 1) {
		*ret = stack_column(reader, row, 0, place);
		sqlite3_reset(row);
	}
	return code >= 0;
}

/* That of its crash, else that of its call. */
static bool read_stack(struct store_reader *reader, gint64 execution, struct record_rank *rank,
                       GError **error)
{
	return (!record_rank_crashed(rank)
	        || rows_stack(reader, execution, rank->rank, 0, &rank->place, &rank->stack, error))
	       && (rank->stack > 0
	           || rows_stack(reader, execution, rank->rank, rank->call, &rank->place,
	                         &rank->stack, error));
}

/* "1,2,3" */
static bool parse_ranks(const char *text, GArray *ranks)
{
	g_auto(GStrv) parts = g_strsplit(text ? text : "", ",", -1);

	for (char **part = parts; *part; part++) {
		guint64 number;
		int32_t rank;

		if (!g_ascii_string_to_unsigned(*part, 10, 0, RANKS_MAX, &number, NULL))
			return false;
		rank = (int32_t)number;
		g_array_append_val(ranks, rank);
	}
	return true;
}

bool rows_roll_call(struct store_reader *reader, gint64 execution, gint64 finding, GPtrArray *ranks,
                    GError **error)
{
	sqlite3_stmt *row = reader->statements[GET_ROLL_CALL];
	int code;

	sqlite3_bind_int64(row, 1, execution);
	sqlite3_bind_int64(row, 2, finding);
	while ((code = rows_step(reader, row, error)) == 1) {
		struct record_rank *rank = record_rank_new(rows_rank(row, 0));
		g_autofree char *waits_for = rows_text(row, 5);

		g_ptr_array_add(ranks, rank);
		rank->call = rows_count(row, 1);
		rank->function = rows_name(row, 2);
		rank->arguments = rows_text(row, 3);
		rank->place = rows_place(reader, row, 4);
		rank->ended = rows_text(row, 6);
		rank->bystander = sqlite3_column_int(row, 7) != 0;
		rank->does = rows_text(row, 8);
		if (!parse_ranks(waits_for, rank->waits_for)) {
			sqlite3_reset(row);
			return rows_damaged(reader, "a roll-call names no ranks where it should",
			                    error);
		}
		if ((finding > 0 || record_rank_crashed(rank))
		    && !read_stack(reader, finding > 0 ? rows_example(reader, finding) : execution,
		                   rank, error)) {
			sqlite3_reset(row);
			return false;
		}
	}
	return code == 0;
}

static bool read_alternatives(struct store_reader *reader, gint64 execution, gint64 position,
                              struct record_choice *choice, GError **error)
{
	sqlite3_stmt *row = reader->statements[GET_ALTERNATIVES];
	int code;

	sqlite3_bind_int64(row, 1, execution);
	sqlite3_bind_int64(row, 2, position);
	while ((code = rows_step(reader, row, error)) == 1) {
		struct record_message message = {
			.source = (int32_t)rows_number(row, 1, -1, RANKS_MAX), /* -1: an answer */
			.tag = (int32_t)rows_number(row, 2, G_MININT32, G_MAXINT32),
			.call = rows_count(row, 3),
			.sub = rows_count(row, 4),
			.place = rows_place(reader, row, 5),
			.answer = rows_name(row, 6),
			.requests = rows_name(row, 7)};

		if (sqlite3_column_int64(row, 0) == 0)
			choice->taken = message;
		else
			g_array_append_val(choice->alternatives, message);
	}
	return code == 0;
}

/* The choices of an execution; or, with execution 0, the blame of the finding `position`. */
bool rows_choices(struct store_reader *reader, gint64 execution, gint64 position,
                  GPtrArray *choices, GError **error)
{
	sqlite3_stmt *row = reader->statements[GET_CHOICES];
	int code;

	sqlite3_bind_int64(row, 1, execution);
	sqlite3_bind_int64(row, 2, position);
	while ((code = rows_step(reader, row, error)) == 1) {
		struct record_choice *choice = record_choice_new();

		g_ptr_array_add(choices, choice);
		choice->rank = rows_rank(row, 1);
		choice->call = rows_count(row, 2);
		choice->sub = rows_count(row, 3);
		choice->function = rows_name(row, 4);
		choice->place = rows_place(reader, row, 5);
		choice->lock = (struct record_lock){
			sqlite3_column_int(row, 6), sqlite3_column_int(row, 7),
			sqlite3_column_int(row, 8), sqlite3_column_int(row, 9),
			rows_count(row, 10)};
		if (!read_alternatives(reader, execution, sqlite3_column_int64(row, 0), choice,
		                       error)) {
			sqlite3_reset(row);
			return false;
		}
	}
	return code == 0;
}

static bool read_processes(struct store_reader *reader, struct record_execution *execution,
                           GError **error)
{
	sqlite3_stmt *row = reader->statements[GET_PROCESSES];
	int code;

	sqlite3_bind_int64(row, 1, execution->id);
	while ((code = rows_step(reader, row, error)) == 1) {
		int32_t status = (int32_t)rows_number(row, 1, -1, 255);

		g_array_append_val(execution->exits, status);
		g_ptr_array_add(execution->outputs, bytes_column(row, 2));
		g_ptr_array_add(execution->errors, bytes_column(row, 3));
	}
	return code == 0;
}

/* Where the calls or matches of an execution stand in their table. */
struct range {
	gint64 first, count;
};

static struct range range_columns(sqlite3_stmt *row, int column)
{
	return (struct range){rows_number(row, column, 0, G_MAXINT64 - G_MAXUINT32),
	                      rows_count(row, column + 1)};
}

static void bind_range(sqlite3_stmt *row, const struct record_execution *execution,
                       struct range range)
{
	sqlite3_bind_int64(row, 1, execution->id);
	sqlite3_bind_int64(row, 2, range.first);
	sqlite3_bind_int64(row, 3, range.first + range.count - 1);
}

static bool read_matches(struct store_reader *reader, struct record_execution *execution,
                         struct range range, GError **error)
{
	sqlite3_stmt *row = reader->statements[GET_MATCHES];
	int code;

	bind_range(row, execution, range);
	while ((code = rows_step(reader, row, error)) == 1) {
		struct record_match match = {
			.rank = rows_rank(row, 0),
			.call = rows_count(row, 1),
			.sub = rows_count(row, 2),
			.source = rows_rank(row, 3),
			.send_call = rows_count(row, 4),
			.send_sub = rows_count(row, 5),
			.tag = (int32_t)rows_number(row, 6, G_MININT32, G_MAXINT32)};

		g_array_append_val(execution->matches, match);
	}
	if (code == 0 && execution->matches->len != range.count)
		return rows_damaged(reader, "matches are missing", error);
	return code == 0;
}

static bool read_calls(struct store_reader *reader, struct record_execution *execution,
                       struct range range, GError **error)
{
	sqlite3_stmt *row = reader->statements[GET_CALLS];
	int32_t rank = -1;
	uint32_t number = 0;
	int code;

	bind_range(row, execution, range);
	while ((code = rows_step(reader, row, error)) == 1) {
		gint64 communicator = sqlite3_column_int64(row, 6);
		const struct rows_communicator *known = g_hash_table_lookup(reader->communicators,
		                                                            &communicator);
		struct record_call call = {
			.rank = rows_rank(row, 0),
			.call = rows_count(row, 1),
			.kind = (uint8_t)rows_number(row, 2, 0, RECORD_CALL_KINDS - 1),
			.operations = (uint8_t)rows_number(row, 3, 0, G_MAXUINT8),
			.function = rows_name(row, 4),
			.place = rows_place(reader, row, 5),
			.communicator = (uint64_t)communicator,
			.communicator_name = known ? known->name : NULL,
			.communicator_group = known ? known->group : NULL,
			.peer = (int32_t)rows_number(row, 7, -1, RANKS_MAX),
			.peer_given = (int32_t)rows_number(row, 8, G_MININT32, G_MAXINT32),
			.tag = (int32_t)rows_number(row, 9, G_MININT32, G_MAXINT32),
			.bytes = (uint64_t)rows_number(row, 10, 0, G_MAXINT64),
			.collective = rows_count(row, 11),
			.completed = rows_count(row, 12),
			.waits = (uint8_t)rows_number(row, 14, 0, RECORD_WAITS - 1),
			.asked = rows_name(row, 15)};

		call.stack = stack_column(reader, row, 13, &call.place);
		number = call.rank == rank ? number + 1 : 1;
		if (call.call != number || call.rank < rank
		    || call.rank >= reader->exploration->ranks) {
			sqlite3_reset(row);
			return rows_damaged(reader, "its calls are not numbered in order", error);
		}
		rank = call.rank;
		g_array_append_val(execution->calls, call);
	}
	if (code == 0 && execution->calls->len != range.count)
		return rows_damaged(reader, "calls are missing", error);
	return code == 0;
}

static bool read_shows(struct store_reader *reader, struct record_execution *execution,
                       GError **error)
{
	sqlite3_stmt *row = reader->statements[GET_SHOWS];
	int code;

	sqlite3_bind_int64(row, 1, execution->id);
	while ((code = rows_step(reader, row, error)) == 1) {
		uint32_t id = rows_count(row, 0);

		g_array_append_val(execution->findings, id);
	}
	return code == 0;
}

struct record_execution *rows_execution(struct store_reader *reader, gint64 id, GError **error)
{
	g_autoptr(RecordExecution) execution = record_execution_new();
	sqlite3_stmt *row = reader->statements[GET_EXECUTION];
	struct range calls, matches;

	sqlite3_bind_int64(row, 1, id);
	if (rows_step(reader, row, error) != 1) {
		if (error && !*error)
			rows_damaged(reader, "an interleaving is missing", error);
		return NULL;
	}
	execution->id = rows_count(row, 0);
	execution->buffering = rows_count(row, 1);
	execution->status = rows_name(row, 2);
	execution->path = rows_text(row, 3);
	calls = range_columns(row, 4);
	matches = range_columns(row, 6);
	sqlite3_reset(row);
	if (!execution->status || !execution->path) {
		rows_damaged(reader, "an interleaving has no path", error);
		return NULL;
	}
	if (!read_processes(reader, execution, error) || !read_shows(reader, execution, error)
	    || !rows_choices(reader, id, -1, execution->choices, error)
	    || !read_matches(reader, execution, matches, error)
	    || !read_calls(reader, execution, calls, error)
	    || !rows_roll_call(reader, id, 0, execution->ranks, error))
		return NULL;
	return g_steal_pointer(&execution);
}

bool rows_prepare_all(struct store_reader *reader, GError **error)
{
	for (int i = 0; i < QUERIES; i++) {
		reader->statements[i] = rows_prepare(reader, sql[i], error);
		if (!reader->statements[i])
			return false;
	}
	return true;
}
