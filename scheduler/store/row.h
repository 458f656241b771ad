/* A row of a table (tables.h) that was read, as a record. All numbers are clamped to their range,
 * and all texts made valid UTF-8 without control characters other than tab and newline: a store may
 * come from an untrusted source. */
#ifndef MATCHPOINT_SCHEDULER_STORE_ROW_H
#define MATCHPOINT_SCHEDULER_STORE_ROW_H

#include <sqlite3.h>
#include <stdbool.h>

#include "tables.h"

struct row {
	const struct table *table;
	sqlite3_stmt *statement; /* its columns are the table's (table_select), and maybe others */
	const GArray *places;    /* of struct place, by id; NULL: not known */
	int64_t keys[TABLE_KEYS];
	void *record; /* space for one; owns its members until row_clear or row_move */
};

/* Reads keys and record of the current row. false: it is invalid. */
bool row_read(struct row *row);
/* Frees what the record owns, and sets it to zero. */
void row_clear(struct row *row);
/* Moves the members of the table's columns into another record, which owns them then. */
void row_move(struct row *row, void *record);

#endif
