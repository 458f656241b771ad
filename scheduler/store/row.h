/* A row that has been read, as the record that its table (tables.h) holds. Every number is brought
 * into its range and every text made valid UTF-8, without control characters but tab and newline:
 * a store may come from anywhere. */
#ifndef MATCHPOINT_SCHEDULER_STORE_ROW_H
#define MATCHPOINT_SCHEDULER_STORE_ROW_H

#include <sqlite3.h>
#include <stdbool.h>

#include "tables.h"

struct row {
	const struct table *table;
	sqlite3_stmt *statement; /* its columns are the table's (table_select), and maybe more */
	const GArray *places;    /* of struct place, by id; NULL: none are known */
	int64_t keys[TABLE_KEYS];
	void *record; /* room for one; what it owns is its own until row_clear or row_move */
};

/* Reads keys and record where the statement stands. False: no such record can be. */
bool row_read(struct row *row);
/* Frees what the record owns; all of it is 0 then. */
void row_clear(struct row *row);
/* Moves the members that the table has into another record, which owns them then. */
void row_move(struct row *row, void *record);

#endif
