/* Internals shared by the files of the reader (reader.h): queries, and rows as records. Functions
 * that return bool or a record set `error` on failure. */
#ifndef MATCHPOINT_SCHEDULER_STORE_READER_ROWS_H
#define MATCHPOINT_SCHEDULER_STORE_READER_ROWS_H

#include <stdbool.h>

#include "reader.h"
#include "row.h"

enum query {
	GET_EXPLORATION,
	GET_ARGUMENTS,
	GET_LIMITS,
	GET_NOTES,
	GET_PLACES,
	GET_EXCERPTS,
	GET_COMMUNICATORS,
	GET_FRAMES,
	GET_FINDINGS,
	GET_GIVEN,
	GET_OUTCOMES,
	GET_IDENTITY,
	GET_COMMON,
	GET_EXECUTION,
	GET_SHOWS,
	GET_SHOWN,
	GET_ROLL_CALL,
	GET_PROCESSES,
	GET_CHOICES,
	GET_ALTERNATIVES,
	GET_MATCHES,
	GET_CALLS,
	GET_STACK,
	GET_STANDS,
	QUERIES
};

struct store_reader {
	sqlite3 *database;
	char *file;
	char *place; /* the directory, as given; NULL: it is temporary */
	sqlite3_stmt *statements[QUERIES];
	GArray *places;            /* of struct place, by id */
	GPtrArray *stacks;         /* GArray of struct record_frame, by number - 1 */
	GArray *sites;             /* struct place of the MPI call of each stack, by number - 1 */
	bool tells;                /* report a call at the place that its stack names */
	GHashTable *shared;        /* set of struct place that calls with several stacks have */
	GHashTable *examples;      /* finding to the first interleaving that shows it */
	GHashTable *excerpts;      /* struct place to struct record_excerpt */
	GHashTable *communicators; /* number to struct communicator_row */
	/* id of an execution to uint64_t: the interleavings that it stands for, if not 1; NULL: 1
	 * each */
	GHashTable *weights;
	GHashTable
		*indices; /* id of an execution to its GVariant of STORE_INDICES; NULL: not read */
	struct record_exploration *exploration;
	GPtrArray *findings;
	GPtrArray *mistakes; /* those of `findings` that are no variants */
};

/* Set `error`: the store is damaged, or the meaning of SQLite's last error. Return false. */
bool rows_damaged(const struct store_reader *reader, const char *what, GError **error);
bool rows_fail(const struct store_reader *reader, GError **error);
/* The file itself cannot be read: errno, or the text in `otherwise`. Returns false. */
bool rows_unreadable(const struct store_reader *reader, int number, const char *otherwise,
                     GError **error);

/* Opens reader->file; the database then has the current tables (reader_file.c). */
bool reader_open_file(struct store_reader *reader, GError **error);

/* NULL on failure; the caller finalizes it. */
sqlite3_stmt *rows_prepare(const struct store_reader *reader, const char *text, GError **error);
/* Prepares all queries. */
bool rows_prepare_all(struct store_reader *reader, GError **error);

/* Steps a statement. Returns 1: a row; 0: the end (the statement is reset); -1: an error. */
int rows_step(const struct store_reader *reader, sqlite3_stmt *statement, GError **error);

/* Sets the parameters of a query for rows_each. */
void rows_bind(struct store_reader *reader, enum query query, gint64 one, gint64 two, gint64 three);
/* Calls `take` for each row, and clears its record afterwards. Stops with false if `take` returns
 * false (which then sets `error`) or the store is damaged. */
typedef bool (*rows_take)(struct store_reader *reader, struct row *row, void *data, GError **error);
bool rows_each(struct store_reader *reader, enum query query, rows_take take, void *data,
               GError **error);

/* Reads the weights, and sets what the exploration says of its interleavings (reader_counts.c). */
bool rows_weights(struct store_reader *reader, GError **error);
/* How many interleavings these executions (a set of ids) stand for. */
uint64_t rows_interleavings(const struct store_reader *reader, GHashTable *executions);

/* Reads which indices calls have returned; sets those of an execution's calls, if they are known
 * (reader_indices.c). */
bool rows_common(struct store_reader *reader, GError **error);
void rows_set_indices(const struct store_reader *reader, uint32_t execution, GArray *calls);

/* The roll-call of an execution (finding 0) or of a finding (execution 0). */
bool rows_roll_call(struct store_reader *reader, gint64 execution, gint64 finding, GPtrArray *ranks,
                    GError **error);

/* The choices of an execution (position -1); with execution 0, the blame of the finding
 * `position`. */
bool rows_choices(struct store_reader *reader, gint64 execution, gint64 position,
                  GPtrArray *choices, GError **error);

/* Reads all stacks. */
bool rows_stacks(struct store_reader *reader, GError **error);

/* The interleaving that showed a finding first. */
gint64 rows_example(const struct store_reader *reader, gint64 finding);

/* Reads the stack of a rank's call in an interleaving (call 0: where a signal hit the rank). *ret
 * is 0 if there is none that ends at `place`; otherwise `place` becomes the place to report. */
bool rows_stack(struct store_reader *reader, gint64 execution, int32_t rank, uint32_t call,
                struct place *place, uint32_t *ret, GError **error);

/* Sets the places of a choice and its alternatives to those that their stacks name. */
bool rows_choice_places(struct store_reader *reader, gint64 execution, struct record_choice *choice,
                        GError **error);

struct record_execution *rows_execution(struct store_reader *reader, gint64 id, GError **error);
/* Without choices, matches, calls and findings. */
struct record_execution *rows_output(struct store_reader *reader, gint64 id, GError **error);

#endif
