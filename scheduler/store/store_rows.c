/* Writes records as rows, by the description of their tables (tables.h). */
#include <string.h>

#include "store_internal.h"

/* Rows written by one statement where there are many; this takes about half the time. */
#define ROWS 16

/* --- places ---------------------------------------------------------------------------------- */

/* A small cache: the calls of a loop have few places, with interned names. */
static struct store_place *known_place(struct store *store, const struct place *place)
{
	return &store->met[(place->line + place->offset) % G_N_ELEMENTS(store->met)];
}

static bool is_same(const struct place *one, const struct place *other)
{
	return one->file == other->file && one->line == other->line
	       && one->function == other->function && one->offset == other->offset
	       && one->directory == other->directory;
}

static bool put_excerpt(struct store *store, gint64 id, const struct place *place, GError **error)
{
	struct record_excerpt excerpt = {0};
	bool good;

	if (!store->find_excerpt || !store->find_excerpt(store->find_data, place, &excerpt))
		return true;
	good = store_put(store, TABLE_EXCERPT, STORE_KEYS(id), &excerpt, error);
	g_free(excerpt.text);
	return good;
}

/* The id of a place; -1 on failure. */
static gint64 new_place(struct store *store, const struct place *place, GError **error)
{
	gint64 id = (gint64)GPOINTER_TO_SIZE(g_hash_table_lookup(store->places, place));

	if (id)
		return id;
	id = store->last_place + 1;
	if (!store_put(store, TABLE_PLACE, STORE_KEYS(id), place, error)
	    || !put_excerpt(store, id, place, error))
		return -1;
	store->last_place = id;
	g_hash_table_insert(store->places, g_memdup2(place, sizeof(*place)),
	                    GSIZE_TO_POINTER((gsize)id));
	return id;
}

/* Sets the id of a place, 0 for an unknown one. */
static gint64 put_place(struct store *store, const struct place *place, GError **error)
{
	struct store_place *known = known_place(store, place);
	gint64 id;

	if (!place->file && !place->function)
		return 0;
	if (known->id > 0 && is_same(&known->place, place))
		return known->id;
	id = new_place(store, place, error);
	if (id > 0)
		*known = (struct store_place){*place, id};
	return id;
}

static gboolean is_new_place(gpointer place, gpointer id, gpointer limit)
{
	(void)place;
	return GPOINTER_TO_SIZE(id) > *(gsize *)limit;
}

void store_forget_places(struct store *store)
{
	gsize limit = (gsize)store->committed_place;

	g_hash_table_foreach_remove(store->places, is_new_place, &limit);
	store->last_place = store->committed_place;
	memset(store->met, 0, sizeof(store->met));
}

/* --- columns --------------------------------------------------------------------------------- */

static char *print_ranks(const GArray *ranks)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < ranks->len; i++)
		g_string_append_printf(text, i > 0 ? ",%d" : "%d",
		                       g_array_index(ranks, int32_t, i));
	return g_string_free(text, false);
}

static int bind_bytes(sqlite3_stmt *statement, int at, GBytes *bytes)
{
	gsize size = 0;
	const void *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	if (bytes && size == 0)
		data = ""; /* an empty value is not NULL */
	return sqlite3_bind_blob64(statement, at, data, size, SQLITE_STATIC);
}

static int bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	return sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* Binds a member of any kind but key and place. */
static int bind_member(sqlite3_stmt *statement, int at, enum column_kind kind, const void *member)
{
	switch (kind) {
	case COLUMN_BOOL: return sqlite3_bind_int(statement, at, *(const bool *)member);
	case COLUMN_UINT8: return sqlite3_bind_int(statement, at, *(const uint8_t *)member);
	case COLUMN_INT32: return sqlite3_bind_int(statement, at, *(const int32_t *)member);
	case COLUMN_UINT32: return sqlite3_bind_int64(statement, at, *(const uint32_t *)member);
	case COLUMN_UINT64:
		return sqlite3_bind_int64(statement, at, (gint64) * (const uint64_t *)member);
	case COLUMN_DOUBLE: return sqlite3_bind_double(statement, at, *(const double *)member);
	case COLUMN_TEXT:
	case COLUMN_NAME: return bind_text(statement, at, *(const char *const *)member);
	case COLUMN_BYTES: return bind_bytes(statement, at, *(GBytes *const *)member);
	case COLUMN_RANKS:
		return sqlite3_bind_text(statement, at, print_ranks(*(GArray *const *)member), -1,
		                         g_free);
	case COLUMN_FINDING_KIND:
		return bind_text(statement, at,
		                 finding_kind_name(*(const enum finding_kind *)member));
	case COLUMN_KEY:
	case COLUMN_PLACE: break;
	}
	return SQLITE_MISUSE;
}

/* A row to write. */
struct new_row {
	const struct table *table;
	const gint64 *keys;
	const void *record;
};

/* Binds the row's columns; the first is parameter `at`. */
static bool bind_row(struct store *store, sqlite3_stmt *statement, int at,
                     const struct new_row *row, GError **error)
{
	const gint64 *key = row->keys;

	for (int i = table_first_written(row->table); i < row->table->count; i++, at++) {
		const struct column *column = &row->table->columns[i];
		const void *member = (const char *)row->record + column->offset;
		int code;

		if (column->kind == COLUMN_KEY) {
			code = sqlite3_bind_int64(statement, at, *key++);
		} else if (column->kind == COLUMN_PLACE) {
			gint64 place = put_place(store, member, error);

			if (place < 0)
				return false;
			code = sqlite3_bind_int64(statement, at, place);
		} else {
			code = bind_member(statement, at, column->kind, member);
		}
		if (code != SQLITE_OK)
			return store_fail(store, error);
	}
	return true;
}

/* --- rows ------------------------------------------------------------------------------------ */

static sqlite3_stmt *prepared(struct store *store, enum table_id table, int rows, GError **error)
{
	sqlite3_stmt **statement = rows > 1 ? &store->writes_many[table] : &store->writes[table];

	if (!*statement) {
		g_autofree char *text = table_insert(table, rows);

		*statement = store_prepare(store, text, error);
	}
	return *statement;
}

static bool step(const struct store *store, sqlite3_stmt *statement, GError **error)
{
	bool good = sqlite3_step(statement) == SQLITE_DONE || store_fail(store, error);

	sqlite3_reset(statement);
	return good;
}

bool store_put(struct store *store, enum table_id table, const gint64 *keys, const void *record,
               GError **error)
{
	sqlite3_stmt *statement = prepared(store, table, 1, error);
	const struct new_row row = {table_of(table), keys, record};

	return statement && bind_row(store, statement, 1, &row, error)
	       && step(store, statement, error);
}

bool rows_put(struct rows *rows, const gint64 *keys, const void *record, GError **error)
{
	const struct table *table = table_of(rows->table);
	const struct new_row row = {table, keys, record};
	int columns = table->count - table_first_written(table);

	if (rows->bound == 0) {
		rows->together = rows->left >= ROWS ? ROWS : 1;
		rows->statement = prepared(rows->store, rows->table, (int)rows->together, error);
	}
	if (!rows->statement
	    || !bind_row(rows->store, rows->statement, (int)rows->bound * columns + 1, &row, error))
		return false;
	rows->left--;
	rows->bound = (rows->bound + 1) % rows->together;
	return rows->bound > 0 || step(rows->store, rows->statement, error);
}

bool store_put_all(struct store *store, enum table_id id, const gint64 *keys, const GArray *records,
                   GError **error)
{
	struct rows rows = {.store = store, .table = id, .left = records->len};

	for (guint i = 0; i < records->len; i++)
		if (!rows_put(&rows, keys, records->data + i * table_of(id)->size, error))
			return false;
	return true;
}

void store_finalize_writes(struct store *store)
{
	for (int i = 0; i < TABLES; i++) {
		sqlite3_finalize(store->writes[i]);
		sqlite3_finalize(store->writes_many[i]);
	}
}
