#include "reader_rows.h"

#include <errno.h>
#include <string.h>

#include "explorer/path.h"

/* For each query, its table and conditions; `also`: columns of other tables. */
static const struct {
	enum table_id table;
	const char *rest, *also;
} queries[QUERIES] = {
	[GET_EXPLORATION] = {TABLE_EXPLORATION, "", ""},
	[GET_ARGUMENTS] = {TABLE_ARGUMENT, "ORDER BY position", ""},
	[GET_LIMITS] = {TABLE_LIMIT, "ORDER BY position", ""},
	[GET_NOTES] = {TABLE_NOTE, "ORDER BY position", ""},
	[GET_PLACES] = {TABLE_PLACE, "ORDER BY id", ""},
	[GET_EXCERPTS] = {TABLE_EXCERPT, "", ""},
	[GET_COMMUNICATORS] = {TABLE_COMMUNICATOR, "", ""},
	[GET_FRAMES] = {TABLE_FRAME, "ORDER BY stack, depth", ""},
	[GET_FINDINGS] = {TABLE_FINDING, "ORDER BY id", ""},
	[GET_GIVEN] = {TABLE_GIVEN, "ORDER BY finding, position", ""},
	[GET_OUTCOMES] = {TABLE_OUTCOME, "ORDER BY finding, number", ""},
	[GET_IDENTITY] = {TABLE_IDENTITY, "ORDER BY rowid", ""},
	[GET_COMMON] = {TABLE_COMMON, "", ""},
	[GET_EXECUTION] = {TABLE_EXECUTION, "WHERE id = ?", ""},
	[GET_SHOWS] = {TABLE_SHOWS, "WHERE execution = ? ORDER BY finding", ""},
	[GET_SHOWN] = {TABLE_SHOWS, "WHERE finding = ?", ""},
	[GET_ROLL_CALL] = {TABLE_ROLL_CALL, "WHERE execution = ? AND finding = ? ORDER BY position",
                           ""},
	[GET_PROCESSES] = {TABLE_PROCESS, "WHERE execution = ? ORDER BY rank", ""},
	[GET_CHOICES] = {TABLE_CHOICE,
                         "WHERE execution = ? AND (position = ?2 OR ?2 < 0) ORDER BY position", ""},
	[GET_ALTERNATIVES] = {TABLE_ALTERNATIVE,
                              "WHERE execution = ? AND position = ? ORDER BY number", ""},
	[GET_MATCHES] = {TABLE_MATCH, "WHERE id BETWEEN ?2 AND ?3 AND execution = ?1 ORDER BY id",
                         ""},
	[GET_CALLS] = {TABLE_CALL,
                       "LEFT JOIN stands USING (execution, rank, call)"
                       " WHERE id BETWEEN ?2 AND ?3 AND execution = ?1 ORDER BY id",
                       ", stack"},
	[GET_STACK] = {TABLE_STANDS, "WHERE execution = ? AND rank = ? AND call = ?", ""},
	[GET_STANDS] = {TABLE_STANDS, "ORDER BY execution, rank, call", ""},
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
		            "%s: this is not a matchpoint store", reader->file);
		return false;
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_READONLY:
	case SQLITE_IOERR:
		return rows_unreadable(reader, number, sqlite3_errmsg(reader->database), error);
	case SQLITE_FULL: return rows_unreadable(reader, ENOSPC, NULL, error);
	default: return rows_damaged(reader, sqlite3_errmsg(reader->database), error);
	}
}

/* Steps a statement. Returns 1: a row; 0: the end (the statement is reset); -1: an error. */
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

void rows_bind(struct store_reader *reader, enum query query, gint64 one, gint64 two, gint64 three)
{
	sqlite3_stmt *statement = reader->statements[query];
	const gint64 values[] = {one, two, three};

	for (int i = 0; i < sqlite3_bind_parameter_count(statement); i++)
		sqlite3_bind_int64(statement, i + 1, values[i]);
}

bool rows_each(struct store_reader *reader, enum query query, rows_take take, void *data,
               GError **error)
{
	const struct table *table = table_of(queries[query].table);
	g_autofree void *record = g_malloc0(table->size);
	struct row row = {.table = table,
	                  .statement = reader->statements[query],
	                  .places = reader->places,
	                  .record = record};
	int code;

	while ((code = rows_step(reader, row.statement, error)) == 1) {
		bool good = row_read(&row);

		if (!good)
			rows_damaged(reader, "a roll-call has an invalid list of ranks", error);
		good = good && take(reader, &row, data, error);
		row_clear(&row);
		if (good)
			continue;
		sqlite3_reset(row.statement);
		return false;
	}
	return code == 0;
}

/* Returns the number if that stack is known and ends at this place, else 0. Replaces the place by
 * the one to report. */
static uint32_t stack_at(const struct store_reader *reader, gint64 number, struct place *place)
{
	const GArray *frames;

	if (number <= 0 || number > reader->stacks->len
	    || !place_equal(&g_array_index(reader->sites, struct place, number - 1), place))
		return 0;
	frames = reader->stacks->pdata[number - 1];
	*place = g_array_index(frames, struct record_frame, 0).place;
	return (uint32_t)number;
}

gint64 rows_example(const struct store_reader *reader, gint64 finding)
{
	return (gint64)GPOINTER_TO_SIZE(
		g_hash_table_lookup(reader->examples, GSIZE_TO_POINTER((gsize)finding)));
}

static bool take_stack_number(struct store_reader *reader, struct row *row, void *data,
                              GError **error)
{
	const struct record_stack *stands = row->record;

	(void)reader;
	(void)error;
	*(uint32_t *)data = stands->stack;
	return true;
}

bool rows_stack(struct store_reader *reader, gint64 execution, int32_t rank, uint32_t call,
                struct place *place, uint32_t *ret, GError **error)
{
	uint32_t number = 0;

	rows_bind(reader, GET_STACK, execution, rank, call);
	if (!rows_each(reader, GET_STACK, take_stack_number, &number, error))
		return false;
	*ret = stack_at(reader, number, place);
	return true;
}

/* Reads the stack of the rank's crash; if there is none, that of its call. */
static bool read_stack(struct store_reader *reader, gint64 execution, struct record_rank *rank,
                       GError **error)
{
	return (!record_rank_crashed(rank)
	        || rows_stack(reader, execution, rank->rank, 0, &rank->place, &rank->stack, error))
	       && (rank->stack > 0
	           || rows_stack(reader, execution, rank->rank, rank->call, &rank->place,
	                         &rank->stack, error));
}

/* A roll-call that is being read. */
struct roll_call {
	gint64 execution; /* whose stacks are read; 0: read no stacks */
	GPtrArray *ranks;
};

static bool take_rank(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	struct roll_call *roll_call = data;
	struct record_rank *rank = g_new0(struct record_rank, 1);

	row_move(row, rank);
	g_ptr_array_add(roll_call->ranks, rank);
	if (row->keys[1] == 0 && !record_rank_crashed(rank))
		return true;
	return read_stack(reader, roll_call->execution, rank, error);
}

bool rows_roll_call(struct store_reader *reader, gint64 execution, gint64 finding, GPtrArray *ranks,
                    GError **error)
{
	struct roll_call roll_call = {finding > 0 ? rows_example(reader, finding) : execution,
	                              ranks};

	rows_bind(reader, GET_ROLL_CALL, execution, finding, 0);
	return rows_each(reader, GET_ROLL_CALL, take_rank, &roll_call, error);
}

/* Reads the answer's words; if there are none, the message's send. */
static bool read_taken(const struct record_message *message, struct taken *ret)
{
	*ret = taken_message((struct op_id){message->source, message->call, message->sub});
	return !message->answer || record_answer_read(message->answer, ret);
}

static bool take_alternative(struct store_reader *reader, struct row *row, void *data,
                             GError **error)
{
	struct record_choice *choice = data;
	const struct record_message *told = row->record;
	struct record_message message;
	struct taken taken;

	if (!read_taken(told, &taken))
		return rows_damaged(reader, "the alternative of a choice cannot be read", error);
	message = record_message_of(&taken);
	message.tag = told->tag;
	message.call = told->call;
	message.place = told->place;
	message.requests = told->requests;
	if (row->keys[2] == 0)
		choice->taken = message;
	else
		g_array_append_val(choice->alternatives, message);
	return true;
}

/* The point of a choice that a call represents: see struct record_choice. */
static struct point point_of_row(const struct choice_row *row, const struct taken *taken)
{
	if (row->window != 0) {
		struct point point = {.kind = POINT_LOCK,
		                      .rank = row->target,
		                      .call = row->granted,
		                      .first = row->first,
		                      .reader = row->reader};

		choice_row_place(row, &point);
		return point;
	}
	if (taken->kind == TAKEN_THREAD)
		return (struct point){.kind = POINT_TURN, .rank = row->rank, .call = row->call - 1};
	return point_call(row->rank, row->call, row->sub);
}

bool rows_choice_places(struct store_reader *reader, gint64 execution, struct record_choice *choice,
                        GError **error)
{
	uint32_t stack;

	if (!reader->tells)
		return true;
	if (!rows_stack(reader, execution, choice->rank, choice->call, &choice->place, &stack,
	                error))
		return false;
	for (guint i = 0; i <= choice->alternatives->len; i++) {
		struct record_message *message =
			i == 0 ? &choice->taken
			       : &g_array_index(choice->alternatives, struct record_message, i - 1);

		if (!rows_stack(reader, execution, message->answer ? choice->rank : message->source,
		                message->call, &message->place, &stack, error))
			return false;
	}
	return true;
}

static bool take_choice(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	gint64 execution = row->keys[0];
	const struct choice_row *told = row->record;
	struct record_choice *choice = record_choice_new();

	g_ptr_array_add(data, choice);
	choice->rank = told->rank;
	choice->call = told->call;
	choice->sub = told->sub;
	choice->function = told->function;
	choice->place = told->place;
	rows_bind(reader, GET_ALTERNATIVES, execution, row->keys[1], 0);
	if (!rows_each(reader, GET_ALTERNATIVES, take_alternative, choice, error)
	    || (execution > 0 && !rows_choice_places(reader, execution, choice, error)))
		return false;
	choice->point = point_of_row(told, &choice->taken.taken);
	return true;
}

bool rows_choices(struct store_reader *reader, gint64 execution, gint64 position,
                  GPtrArray *choices, GError **error)
{
	rows_bind(reader, GET_CHOICES, execution, position, 0);
	return rows_each(reader, GET_CHOICES, take_choice, choices, error);
}

static GBytes *or_empty(GBytes *bytes)
{
	return bytes ? g_bytes_ref(bytes) : g_bytes_new(NULL, 0);
}

static bool take_process(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	struct record_execution *execution = data;
	const struct process_row *process = row->record;

	(void)reader;
	(void)error;
	g_array_append_val(execution->exits, process->exit);
	g_ptr_array_add(execution->outputs, or_empty(process->output));
	g_ptr_array_add(execution->errors, or_empty(process->error));
	return true;
}

static bool take_match(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	(void)reader;
	(void)error;
	g_array_append_vals(data, row->record, 1);
	return true;
}

/* Whether this is the next call: calls of each rank are numbered from 1 without gaps. */
static bool is_next_call(const struct store_reader *reader, const GArray *calls,
                         const struct record_call *call)
{
	const struct record_call *last =
		calls->len > 0 ? &g_array_index(calls, struct record_call, calls->len - 1) : NULL;

	if (call->rank >= reader->exploration->ranks)
		return false;
	if (last && call->rank == last->rank)
		return call->call == last->call + 1;
	return call->call == 1 && (!last || call->rank > last->rank);
}

static bool take_call(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	GArray *calls = data;
	struct record_call *call = row->record;
	gint64 communicator = (gint64)call->communicator;
	const struct communicator_row *known = g_hash_table_lookup(reader->communicators,
	                                                           &communicator);

	call->communicator_name = known ? known->name : NULL;
	call->communicator_group = known ? known->members : NULL;
	call->stack = stack_at(reader, sqlite3_column_int64(row->statement, row->table->count),
	                       &call->place);
	if (!is_next_call(reader, calls, call))
		return rows_damaged(reader, "its calls are not numbered in order", error);
	g_array_append_vals(calls, call, 1);
	return true;
}

static bool take_shows(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	uint32_t finding = (uint32_t)CLAMP(row->keys[1], 0, UINT32_MAX);

	(void)reader;
	(void)error;
	g_array_append_val((GArray *)data, finding);
	return true;
}

/* Reads the rows (matches, calls) of an execution, which begin at the id `first`. */
static bool read_range(struct store_reader *reader, enum query query,
                       const struct execution_row *row, GArray *records, GError **error)
{
	bool is_calls = query == GET_CALLS;
	gint64 first = is_calls ? row->first_call : row->first_match;
	uint32_t count = is_calls ? row->calls : row->matches;

	rows_bind(reader, query, row->id, first, first + count - 1);
	if (!rows_each(reader, query, is_calls ? take_call : take_match, records, error))
		return false;
	if (records->len != count)
		return rows_damaged(reader, is_calls ? "calls are missing" : "matches are missing",
		                    error);
	return true;
}

static bool take_execution(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	(void)reader;
	(void)error;
	row_move(row, data);
	return true;
}

/* Sets which poll of a loop takes a message. The row of a message has no room for it, but the path
 * names it. */
static void read_ahead(struct record_execution *execution)
{
	struct path *path = strstr(execution->path, "=+") ? path_parse(execution->path, NULL)
	                                                  : NULL;

	for (guint i = 0; path && i < execution->choices->len; i++) {
		struct record_choice *choice = execution->choices->pdata[i];
		const struct choice *made = i < path->choices->len ? &g_array_index(
						    path->choices, struct choice, i)
		                                                   : NULL;

		if (!made || !point_equal(&made->point, &choice->point))
			made = choices_find(path->choices, &choice->point);
		if (made && made->taken.kind == TAKEN_MESSAGE
		    && made->taken.send.rank == choice->taken.source)
			choice->taken.taken.ahead = made->taken.ahead;
	}
	path_free(path);
}

static bool read_parts(struct store_reader *reader, struct record_execution *execution,
                       const struct execution_row *row, GError **error)
{
	gint64 id = row->id;

	rows_bind(reader, GET_SHOWS, id, 0, 0);
	return rows_each(reader, GET_SHOWS, take_shows, execution->findings, error)
	       && rows_choices(reader, id, -1, execution->choices, error)
	       && read_range(reader, GET_MATCHES, row, execution->matches, error)
	       && read_range(reader, GET_CALLS, row, execution->calls, error)
	       && rows_roll_call(reader, id, 0, execution->ranks, error);
}

/* Reads the execution's own row into *ret, and its processes. */
static struct record_execution *read_output(struct store_reader *reader, gint64 id,
                                            struct execution_row *ret, GError **error)
{
	g_autoptr(RecordExecution) execution = record_execution_new();

	*ret = (struct execution_row){0};
	rows_bind(reader, GET_EXECUTION, id, 0, 0);
	if (!rows_each(reader, GET_EXECUTION, take_execution, ret, error))
		return NULL;
	execution->id = ret->id;
	execution->buffering = ret->buffering;
	execution->status = ret->status;
	execution->path = ret->path;
	if (ret->id == 0 || !ret->path) {
		rows_damaged(reader, "an interleaving is missing, or has no path", error);
		return NULL;
	}
	rows_bind(reader, GET_PROCESSES, id, 0, 0);
	if (!rows_each(reader, GET_PROCESSES, take_process, execution, error))
		return NULL;
	return g_steal_pointer(&execution);
}

struct record_execution *rows_output(struct store_reader *reader, gint64 id, GError **error)
{
	struct execution_row row;

	return read_output(reader, id, &row, error);
}

struct record_execution *rows_execution(struct store_reader *reader, gint64 id, GError **error)
{
	struct execution_row row;
	g_autoptr(RecordExecution) execution = read_output(reader, id, &row, error);

	if (!execution || !read_parts(reader, execution, &row, error))
		return NULL;
	read_ahead(execution);
	rows_set_indices(reader, execution->id, execution->calls);
	return g_steal_pointer(&execution);
}

bool rows_prepare_all(struct store_reader *reader, GError **error)
{
	for (int i = 0; i < QUERIES; i++) {
		g_autofree char *text = table_select(queries[i].table, queries[i].also,
		                                     queries[i].rest);

		reader->statements[i] = rows_prepare(reader, text, error);
		if (!reader->statements[i])
			return false;
	}
	return true;
}
