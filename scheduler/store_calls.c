/* Calls and matches of an interleaving. There may be many: they are written several rows at once,
 * which costs about half. */
#include <inttypes.h>

#include "store_internal.h"

#define ROWS 16

/* The columns but the id, which is left to SQLite: so it knows that a row belongs at the end. */
#define CALL                                                                                  \
	"call (execution, rank, call, kind, operations, function, place, communicator, peer," \
	" peer_given, tag, bytes, collective, completed, waits, asked)"
#define MATCH "match (execution, rank, call, sub, source, send_call, send_sub, tag)"
enum { CALL_COLUMNS = 16, MATCH_COLUMNS = 8 };

/* Of those that were met lately, where a loop's calls are. */
#define PLACES 64
struct known_place {
	struct place place;
	gint64 id; /* 0: none */
};

/* The statements that write rows of a table: one, or ROWS. */
struct rows {
	sqlite3_stmt *one, *many;
};

struct store_calls {
	struct rows calls, matches;
	sqlite3_stmt *communicator;
	GHashTable *communicators; /* numbers of those that are in the file */
	struct known_place places[PLACES];
};

static sqlite3_stmt *prepare_insert(const struct store *store, const char *table, int columns,
                                    int rows, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "INSERT INTO %s VALUES ", table);
	for (int row = 0; row < rows; row++) {
		g_string_append(text, row == 0 ? "(?" : ",(?");
		for (int column = 1; column < columns; column++)
			g_string_append(text, ",?");
		g_string_append_c(text, ')');
	}
	return store_prepare(store, text->str, error);
}

static bool prepare_rows(const struct store *store, struct rows *rows, const char *table,
                         int columns, GError **error)
{
	rows->one = prepare_insert(store, table, columns, 1, error);
	rows->many = rows->one ? prepare_insert(store, table, columns, ROWS, error) : NULL;
	return rows->many != NULL;
}

void store_calls_free(struct store_calls *calls)
{
	if (!calls)
		return;
	sqlite3_finalize(calls->calls.one);
	sqlite3_finalize(calls->calls.many);
	sqlite3_finalize(calls->matches.one);
	sqlite3_finalize(calls->matches.many);
	sqlite3_finalize(calls->communicator);
	g_hash_table_unref(calls->communicators);
	g_free(calls);
}

void store_calls_forget(struct store_calls *calls)
{
	if (!calls)
		return;
	g_hash_table_remove_all(calls->communicators);
	memset(calls->places, 0, sizeof(calls->places));
}

static struct store_calls *prepare_all(const struct store *store, GError **error)
{
	struct store_calls *calls = g_new0(struct store_calls, 1);

	calls->communicators = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	calls->communicator = store_prepare(
		store, "INSERT OR IGNORE INTO communicator VALUES (?,?,?)", error);
	if (calls->communicator && prepare_rows(store, &calls->calls, CALL, CALL_COLUMNS, error)
	    && prepare_rows(store, &calls->matches, MATCH, MATCH_COLUMNS, error))
		return calls;
	store_calls_free(calls);
	return NULL;
}

static bool step(const struct store *store, sqlite3_stmt *statement, GError **error)
{
	bool good = sqlite3_step(statement) == SQLITE_DONE;

	if (!good)
		store_fail(store, error);
	sqlite3_reset(statement);
	return good;
}

/* How many of `left` rows are written next. */
static guint next_rows(guint left)
{
	return left >= ROWS ? ROWS : 1;
}

static bool put_communicator(struct store *store, const struct record_call *call, GError **error)
{
	sqlite3_stmt *statement = store->calls->communicator;

	if (call->communicator == 0
	    || g_hash_table_contains(store->calls->communicators, &call->communicator))
		return true;
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)call->communicator);
	sqlite3_bind_text(statement, 2, call->communicator_name, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, call->communicator_group, -1, SQLITE_STATIC);
	if (!step(store, statement, error))
		return false;
	g_hash_table_add(store->calls->communicators,
	                 g_memdup2(&call->communicator, sizeof(call->communicator)));
	return true;
}

/* A loop's calls are at few places, whose names are interned. */
static gint64 put_place(struct store *store, const struct place *place, GError **error)
{
	struct known_place *known = &store->calls->places[(place->line + place->offset) % PLACES];

	if (known->id > 0 && known->place.file == place->file && known->place.line == place->line
	    && known->place.function == place->function && known->place.offset == place->offset
	    && known->place.directory == place->directory)
		return known->id;
	known->place = *place;
	known->id = store_put_place(store, place, error);
	return known->id;
}

static void bind_numbers(sqlite3_stmt *statement, int at, const gint64 *numbers, int count)
{
	for (int i = 0; i < count; i++)
		sqlite3_bind_int64(statement, at + i, numbers[i]);
}

/* Binds a call's columns, the first of which is number `at`. */
static bool bind_call(struct store *store, sqlite3_stmt *statement, int at, uint32_t execution,
                      const struct record_call *call, GError **error)
{
	gint64 place = put_place(store, &call->place, error);
	const gint64 before[] = {execution, call->rank, call->call, call->kind, call->operations};
	const gint64 after[] = {
		place,      (gint64)call->communicator, call->peer,       call->peer_given,
		call->tag,  (gint64)call->bytes,        call->collective, call->completed,
		call->waits};

	G_STATIC_ASSERT(G_N_ELEMENTS(before) + 1 + G_N_ELEMENTS(after) + 1 == CALL_COLUMNS);
	bind_numbers(statement, at, before, G_N_ELEMENTS(before));
	sqlite3_bind_text(statement, at + (int)G_N_ELEMENTS(before), call->function, -1,
	                  SQLITE_STATIC);
	bind_numbers(statement, at + (int)G_N_ELEMENTS(before) + 1, after, G_N_ELEMENTS(after));
	sqlite3_bind_text(statement, at + CALL_COLUMNS - 1, call->asked, -1, SQLITE_STATIC);
	return place >= 0 && put_communicator(store, call, error);
}

static bool put_calls(struct store *store, uint32_t execution, const GArray *calls, GError **error)
{
	for (guint i = 0, rows; i < calls->len; i += rows) {
		sqlite3_stmt *statement;

		rows = next_rows(calls->len - i);
		statement = rows > 1 ? store->calls->calls.many : store->calls->calls.one;
		for (guint row = 0; row < rows; row++) {
			if (!bind_call(store, statement, (int)row * CALL_COLUMNS + 1, execution,
			               &g_array_index(calls, struct record_call, i + row), error))
				return false;
		}
		if (!step(store, statement, error))
			return false;
	}
	return true;
}

static bool put_matches(struct store *store, const struct record_execution *execution,
                        GError **error)
{
	const GArray *matches = execution->matches;

	for (guint i = 0, rows; i < matches->len; i += rows) {
		sqlite3_stmt *statement;

		rows = next_rows(matches->len - i);
		statement = rows > 1 ? store->calls->matches.many : store->calls->matches.one;
		for (guint row = 0; row < rows; row++) {
			const struct record_match *match = &g_array_index(
				matches, struct record_match, i + row);
			const gint64 numbers[] = {execution->id,   match->rank,   match->call,
			                          match->sub,      match->source, match->send_call,
			                          match->send_sub, match->tag};

			G_STATIC_ASSERT(G_N_ELEMENTS(numbers) == MATCH_COLUMNS);
			bind_numbers(statement, (int)row * MATCH_COLUMNS + 1, numbers,
			             MATCH_COLUMNS);
		}
		if (!step(store, statement, error))
			return false;
	}
	return true;
}

static bool prepare(struct store *store, GError **error)
{
	if (!store->calls)
		store->calls = prepare_all(store, error);
	return store->calls != NULL;
}

/* The id of the first of the rows that were written last. */
static gint64 first_of(const struct store *store, guint rows)
{
	return rows ? sqlite3_last_insert_rowid(store->database) - rows + 1 : 0;
}

bool store_put_calls(struct store *store, const struct record_execution *execution,
                     gint64 *ret_first_call, gint64 *ret_first_match, GError **error)
{
	if (!prepare(store, error) || !put_matches(store, execution, error))
		return false;
	*ret_first_match = first_of(store, execution->matches->len);
	if (!put_calls(store, execution->id, execution->calls, error))
		return false;
	*ret_first_call = first_of(store, execution->calls->len);
	return true;
}

bool store_replace_calls(struct store *store, uint32_t execution, const GArray *calls,
                         GError **error)
{
	g_autofree char *drop = g_strdup_printf(
		"WITH old AS (SELECT first_call, calls FROM execution WHERE id = %" PRIu32 ")"
		" DELETE FROM call WHERE id >= (SELECT first_call FROM old)"
		" AND id < (SELECT first_call + calls FROM old)",
		execution);
	g_autofree char *keep = NULL;
	bool good;

	if (!prepare(store, error) || !store_begin(store, error))
		return false;
	good = store_run(store, drop, error) && put_calls(store, execution, calls, error);
	keep = g_strdup_printf("UPDATE execution SET first_call = %" PRIi64 ", calls = %u"
	                       " WHERE id = %" PRIu32,
	                       first_of(store, calls->len), calls->len, execution);
	return store_finish(store, good && store_run(store, keep, error), error);
}
