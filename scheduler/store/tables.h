/* The tables of the store. Each is described once: the names of its columns, and the members of the
 * record that they contain. The statements that create, write and read a table, and the conversions
 * from record to row (store_rows.c) and back (row.c), come from this description, so they cannot
 * diverge.
 *
 * A change of a table changes the format of the store: schema.h says what that takes. */
#ifndef MATCHPOINT_SCHEDULER_STORE_TABLES_H
#define MATCHPOINT_SCHEDULER_STORE_TABLES_H

#include <stdbool.h>

#include "record.h"

/* What a column contains. Its SQL type follows from it. */
enum column_kind {
	COLUMN_KEY, /* no member: a number (int64_t) of the row alone */
	COLUMN_BOOL,
	COLUMN_UINT8,
	COLUMN_INT32,
	COLUMN_UINT32,
	COLUMN_UINT64,
	COLUMN_DOUBLE,
	COLUMN_TEXT,  /* char *, owned by the record, or NULL */
	COLUMN_NAME,  /* const char *, interned, or NULL */
	COLUMN_BYTES, /* GBytes *, owned by the record, or NULL */
	COLUMN_PLACE, /* struct place, by its id */
	COLUMN_RANKS, /* GArray of int32_t, owned by the record: "0,2" */
	COLUMN_FINDING_KIND,
};

struct column {
	const char *name;
	enum column_kind kind;
	size_t offset;       /* of the member in the record */
	int64_t least, most; /* limits of a number, if narrower than its type; both 0: none */
	const char *constraint;
};

enum table_id {
	TABLE_EXPLORATION,  /* struct record_exploration */
	TABLE_ARGUMENT,     /* struct bytes_row */
	TABLE_LIMIT,        /* struct limit_row */
	TABLE_NOTE,         /* struct text_row */
	TABLE_PLACE,        /* struct place */
	TABLE_EXCERPT,      /* struct record_excerpt */
	TABLE_COMMUNICATOR, /* struct communicator_row */
	TABLE_EXECUTION,    /* struct execution_row */
	TABLE_SHOWS,        /* keys only */
	TABLE_ROLL_CALL,    /* struct record_rank */
	TABLE_PROCESS,      /* struct process_row */
	TABLE_CHOICE,       /* struct choice_row */
	TABLE_ALTERNATIVE,  /* struct record_message */
	TABLE_MATCH,        /* struct record_match */
	TABLE_CALL,         /* struct record_call */
	TABLE_FRAME,        /* struct record_frame */
	TABLE_STANDS,       /* struct record_stack */
	TABLE_FINDING,      /* struct record_finding */
	TABLE_GIVEN,        /* struct record_given */
	TABLE_OUTCOME,      /* struct record_outcome */
	TABLE_IDENTITY,     /* struct identity_row */
	TABLE_SEARCH,       /* struct search_row */
	TABLE_COMMON,       /* struct bytes_row */
	TABLES
};

#define TABLE_KEYS 4 /* the most keys of a table */

struct table {
	const char *name;
	const char *write; /* "INSERT", "REPLACE", ... */
	const char *key;   /* "execution, rank": the primary key, if it is not a row number; or
			    * NULL */
	const struct column *columns;
	int count;
	size_t size;   /* of the record */
	bool numbered; /* SQLite numbers the first column: rows are only appended */
};

const struct table *table_of(enum table_id id);

/* The index of the first column that is written: 0, or 1 if SQLite numbers the rows. */
int table_first_written(const struct table *table);

/* SQL text, free with g_free. tables_create creates all tables. table_insert writes `rows` rows,
 * with their columns bound one after the other. table_select reads the columns of the table, then
 * `also` (", stack"), under the condition `rest` (WHERE ...). */
char *tables_create(void);
char *table_insert(enum table_id id, int rows);
char *table_select(enum table_id id, const char *also, const char *rest);

/* Rows that differ from the record in memory. */

struct bytes_row {
	GBytes *value;
};

struct text_row {
	char *value;
};

struct limit_row {
	const char *name; /* limit_info */
	char *text;
};

struct communicator_row {
	const char *name;
	const char *members; /* as communicator_group in struct record_call */
};

/* Calls and matches are appended; those of one execution are consecutive. */
struct execution_row {
	uint32_t id;
	uint32_t buffering;
	enum finding_kind status;
	char *path;
	int64_t first_call; /* its id; 0: none */
	uint32_t calls;
	int64_t first_match;
	uint32_t matches;
};

struct process_row {
	int32_t exit;
	GBytes *output, *error;
};

/* A lock (window > 0) is represented by the call of the rank that gets it, and by its point. */
struct choice_row {
	int32_t rank;
	uint32_t call, sub;
	const char *function;
	struct place place;
	int32_t window; /* 0: no lock; negative: a word of a window */
	int32_t first, target, reader;
	uint32_t granted;
};

/* `window` of a lock's point, and the inverse, which sets the window and the word. */
int32_t choice_row_window(const struct point *point);
void choice_row_place(const struct choice_row *row, struct point *point);

struct identity_row {
	char *name, *value;
};

struct search_row {
	uint32_t buffering;
	GBytes *frontier;
};

#endif
