#include "row.h"

#include <string.h>

static char *text_column(sqlite3_stmt *row, int column)
{
	const char *bytes = (const char *)sqlite3_column_text(row, column);

	return bytes ? record_printable(bytes, -1) : NULL;
}

static const char *name_column(sqlite3_stmt *row, int column)
{
	g_autofree char *text = text_column(row, column);

	return text ? g_intern_string(text) : NULL;
}

static GBytes *bytes_column(sqlite3_stmt *row, int column)
{
	const void *data = sqlite3_column_blob(row, column);

	if (sqlite3_column_type(row, column) == SQLITE_NULL)
		return NULL;
	return g_bytes_new(data, (gsize)sqlite3_column_bytes(row, column));
}

static struct place place_column(const struct row *row, int column)
{
	gint64 id = sqlite3_column_int64(row->statement, column);

	if (!row->places || id <= 0 || id >= row->places->len)
		return (struct place){0};
	return g_array_index(row->places, struct place, id);
}

/* "1,2,3" */
static bool parse_ranks(const struct column *column, const char *text, GArray *ranks)
{
	g_auto(GStrv) parts = g_strsplit(text ? text : "", ",", -1);

	for (char **part = parts; *part; part++) {
		gint64 number;
		int32_t rank;

		if (!g_ascii_string_to_signed(*part, 10, column->least, column->most, &number,
		                              NULL))
			return false;
		rank = (int32_t)number;
		g_array_append_val(ranks, rank);
	}
	return true;
}

/* An integer clamped to its range: a report must not fail for an odd number. */
static gint64 number_column(sqlite3_stmt *row, int at, const struct column *column)
{
	gint64 value = sqlite3_column_int64(row, at);

	if (column->least < column->most)
		return CLAMP(value, column->least, column->most);
	switch (column->kind) {
	case COLUMN_BOOL: return value != 0;
	case COLUMN_UINT8: return CLAMP(value, 0, UINT8_MAX);
	case COLUMN_INT32: return CLAMP(value, INT32_MIN, INT32_MAX);
	case COLUMN_UINT32: return CLAMP(value, 0, UINT32_MAX);
	default: return value;
	}
}

/* Sets a member of any number type. */
static void read_number(enum column_kind kind, gint64 value, void *member)
{
	switch (kind) {
	case COLUMN_BOOL: *(bool *)member = value != 0; break;
	case COLUMN_UINT8: *(uint8_t *)member = (uint8_t)value; break;
	case COLUMN_INT32: *(int32_t *)member = (int32_t)value; break;
	case COLUMN_UINT32: *(uint32_t *)member = (uint32_t)value; break;
	default: *(uint64_t *)member = (uint64_t)value; break;
	}
}

static bool read_ranks(sqlite3_stmt *row, int at, const struct column *column, GArray **ret_ranks)
{
	g_autofree char *text = text_column(row, at);

	*ret_ranks = g_array_new(false, true, sizeof(int32_t));
	return parse_ranks(column, text, *ret_ranks);
}

/* Sets the member from column `at`. false: the value is invalid. */
static bool read_member(const struct row *row, int at, const struct column *column, void *member)
{
	sqlite3_stmt *statement = row->statement;

	switch (column->kind) {
	case COLUMN_TEXT: *(char **)member = text_column(statement, at); break;
	case COLUMN_NAME: *(const char **)member = name_column(statement, at); break;
	case COLUMN_BYTES: *(GBytes **)member = bytes_column(statement, at); break;
	case COLUMN_PLACE: *(struct place *)member = place_column(row, at); break;
	case COLUMN_DOUBLE: *(double *)member = sqlite3_column_double(statement, at); break;
	case COLUMN_RANKS: return read_ranks(statement, at, column, member);
	case COLUMN_FINDING_KIND:
		*(enum finding_kind *)member = finding_kind_find(
			(const char *)sqlite3_column_text(statement, at));
		break;
	default: read_number(column->kind, number_column(statement, at, column), member); break;
	}
	return true;
}

static size_t size_of(enum column_kind kind)
{
	switch (kind) {
	case COLUMN_KEY: return 0;
	case COLUMN_BOOL: return sizeof(bool);
	case COLUMN_UINT8: return sizeof(uint8_t);
	case COLUMN_INT32:
	case COLUMN_UINT32: return sizeof(uint32_t);
	case COLUMN_UINT64: return sizeof(uint64_t);
	case COLUMN_DOUBLE: return sizeof(double);
	case COLUMN_PLACE: return sizeof(struct place);
	case COLUMN_FINDING_KIND: return sizeof(enum finding_kind);
	case COLUMN_TEXT:
	case COLUMN_NAME:
	case COLUMN_BYTES:
	case COLUMN_RANKS: break;
	}
	return sizeof(void *);
}

static void free_member(enum column_kind kind, void *member)
{
	switch (kind) {
	case COLUMN_TEXT: g_free(*(char **)member); break;
	case COLUMN_BYTES: g_clear_pointer((GBytes **)member, g_bytes_unref); break;
	case COLUMN_RANKS: g_clear_pointer((GArray **)member, g_array_unref); break;
	default: break;
	}
}

bool row_read(struct row *row)
{
	int64_t *key = row->keys;
	bool good = true;

	if (row->record) /* NULL: only keys are read */
		memset(row->record, 0, row->table->size);
	for (int i = 0; i < row->table->count && good; i++) {
		const struct column *column = &row->table->columns[i];

		if (column->kind == COLUMN_KEY)
			*key++ = sqlite3_column_int64(row->statement, i);
		else
			good = read_member(row, i, column, (char *)row->record + column->offset);
	}
	return good;
}

void row_clear(struct row *row)
{
	if (!row->record)
		return; /* only keys are read */
	for (int i = 0; i < row->table->count; i++) {
		const struct column *column = &row->table->columns[i];

		free_member(column->kind, (char *)row->record + column->offset);
	}
	if (row->record)
		memset(row->record, 0, row->table->size);
}

void row_move(struct row *row, void *record)
{
	for (int i = 0; i < row->table->count; i++) {
		const struct column *column = &row->table->columns[i];

		memcpy((char *)record + column->offset, (char *)row->record + column->offset,
		       size_of(column->kind));
	}
	memset(row->record, 0, row->table->size);
}
