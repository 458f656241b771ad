/* What the files of the store share: store.c and store_*.c. */
#ifndef MATCHPOINT_SCHEDULER_STORE_STORE_INTERNAL_H
#define MATCHPOINT_SCHEDULER_STORE_STORE_INTERNAL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "scheduler/tools/stopwatch.h"
#include "store.h"
#include "tables.h"

/* Says what SQLite's last error means to the user; false, for returning it. */
bool store_fail(const struct store *store, GError **error);

/* What a finding has in other tables, which it loses when it is written again. */
#define STORE_DROPS 4

/* Where the stacks of this session stand among those in the file. */
struct store_stacks {
	bool known;     /* the first */
	int64_t first;  /* number in the file of the one that is 0 here */
	uint32_t count; /* that are in the file */
};

/* A place that was met lately. */
struct store_place {
	struct place place;
	gint64 id; /* 0: none */
};

struct store {
	sqlite3 *database;
	char *file;
	sqlite3_stmt *writes[TABLES], *writes_many[TABLES]; /* of store_rows.c; NULL: not yet */
	sqlite3_stmt *drops[STORE_DROPS];                   /* of store.c */
	GHashTable *communicators; /* numbers of those that are in the file */
	GHashTable *places;        /* struct place to its id, for those in the file */
	struct store_place met[64];
	store_excerpt_find find_excerpt; /* NULL: no source is kept */
	void *find_data;
	gint64 last_place;
	gint64 committed_place; /* ids above this one are gone when the transaction fails */
	struct store_stacks stacks;
	struct record_execution *later; /* what is left to be written; NULL: nothing */
	bool holding;                   /* several calls make one transaction */
	GError *failed;         /* why that could not be written: nothing more is; NULL: all well */
	struct stopwatch watch; /* what opening, writing and closing cost */
};

/* Writes a row for a record; its keys are in the order of the columns. And one for each of an array
 * of records with the same keys. */
#define STORE_KEYS(...) ((const gint64[]){__VA_ARGS__})
bool store_put(struct store *store, enum table_id table, const gint64 *keys, const void *record,
               GError **error);
bool store_put_all(struct store *store, enum table_id id, const gint64 *keys, const GArray *records,
                   GError **error);
/* What was written since the last transaction is gone. */
void store_forget_places(struct store *store);
void store_finalize_writes(struct store *store);

/* Writes its matches and calls (store_calls.c), and tells the ids of the first of each; 0: none. */
bool store_put_calls(struct store *store, const struct record_execution *execution,
                     gint64 *ret_first_call, gint64 *ret_first_match, GError **error);

bool store_run(struct store *store, const char *text, GError **error);
/* Finalize it; NULL: it could not be made (`error` set). */
sqlite3_stmt *store_prepare(const struct store *store, const char *text, GError **error);

/* A transaction, or a part of one while they are held together. Each that has begun is to be
 * finished, which tells whether it was `good` and could be written. */
bool store_begin(struct store *store, GError **error);
bool store_finish(struct store *store, bool good, GError **error);

#endif
