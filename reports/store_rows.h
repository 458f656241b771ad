/* Rows of the store into records: the part of the reader (store_reader.h) that knows columns. Every
 * value is brought into its range and every text made valid UTF-8 on the way. Functions that return
 * bool or a record set `error` on failure. */
#ifndef MATCHPOINT_REPORTS_STORE_ROWS_H
#define MATCHPOINT_REPORTS_STORE_ROWS_H

#include <sqlite3.h>

#include "store_reader.h"

enum query {
	GET_EXECUTION,
	GET_SHOWS,
	GET_ROLL_CALL,
	GET_PROCESSES,
	GET_CHOICES,
	GET_ALTERNATIVES,
	GET_MATCHES,
	GET_CALLS,
	GET_STACK,
	QUERIES
};

struct rows_communicator {
	const char *name, *group; /* interned, or NULL */
};

struct store_reader {
	sqlite3 *database;
	char *file;
	char *place; /* the directory, as given; NULL: it does not stay */
	sqlite3_stmt *statements[QUERIES];
	GArray *places;            /* of struct place, by id */
	GPtrArray *stacks;         /* GArray of struct record_frame, by number - 1 */
	GHashTable *shared;        /* set of struct place: calls with several stacks stand there */
	GHashTable *examples;      /* finding to the first interleaving that shows it */
	GHashTable *excerpts;      /* struct place to struct record_excerpt */
	GHashTable *communicators; /* number to struct rows_communicator */
	struct record_exploration *exploration;
	GPtrArray *findings;
	GPtrArray *mistakes; /* of them */
};

/* Says that the store is damaged, or what SQLite's last error means; false, for returning it. */
bool rows_damaged(const struct store_reader *reader, const char *what, GError **error);
bool rows_fail(const struct store_reader *reader, GError **error);
/* The file itself cannot be read: errno, or what else is told. */
bool rows_unreadable(const struct store_reader *reader, int number, const char *otherwise,
                     GError **error);

/* NULL on failure; to be finalized by the caller. */
sqlite3_stmt *rows_prepare(const struct store_reader *reader, const char *text, GError **error);
/* Prepares all queries. */
bool rows_prepare_all(struct store_reader *reader, GError **error);

/* Steps a statement: 1 a row, 0 the end (the statement is reset), -1 an error. */
int rows_step(const struct store_reader *reader, sqlite3_stmt *statement, GError **error);

/* Of the id in a column; all-NULL when there is none. */
struct place rows_place(const struct store_reader *reader, sqlite3_stmt *row, int column);

char *rows_text(sqlite3_stmt *row, int column);       /* or NULL; free with g_free */
const char *rows_name(sqlite3_stmt *row, int column); /* interned, or NULL */
gint64 rows_number(sqlite3_stmt *row, int column, gint64 least, gint64 most);
int32_t rows_rank(sqlite3_stmt *row, int column);
uint32_t rows_count(sqlite3_stmt *row, int column);

/* The roll-call of an execution (finding 0) or of a finding (execution 0). */
bool rows_roll_call(struct store_reader *reader, gint64 execution, gint64 finding, GPtrArray *ranks,
                    GError **error);

/* The choices of an execution (position -1), or, with execution 0, the blame of the finding
 * `position`. */
bool rows_choices(struct store_reader *reader, gint64 execution, gint64 position,
                  GPtrArray *choices, GError **error);

/* Reads all stacks. */
bool rows_stacks(struct store_reader *reader, GError **error);

/* The interleaving that showed a finding first. */
gint64 rows_example(const struct store_reader *reader, gint64 finding);

/* The stack of a rank's call (0: where a signal struck it) in an interleaving, if it ends at that
 * place; else 0. */
bool rows_stack(struct store_reader *reader, gint64 execution, int32_t rank, uint32_t call,
                const struct place *place, uint32_t *ret, GError **error);

struct record_execution *rows_execution(struct store_reader *reader, gint64 id, GError **error);

#endif
