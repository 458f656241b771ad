/* Internals shared by store.c and store_*.c. */
#ifndef MATCHPOINT_SCHEDULER_STORE_STORE_INTERNAL_H
#define MATCHPOINT_SCHEDULER_STORE_STORE_INTERNAL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "scheduler/tools/stopwatch.h"
#include "store.h"
#include "tables.h"

/* Sets the error to the meaning of SQLite's last error. Returns false. */
bool store_fail(const struct store *store, GError **error);

/* Number of tables with rows of a finding, which are deleted when it is written again. */
#define STORE_DROPS 4

/* The position of this session's stacks among those in the file. */
struct store_stacks {
	bool known;     /* `first` is set */
	int64_t first;  /* number in the file of stack 0 of this session */
	uint32_t count; /* number of stacks written */
};

/* A recently used place. */
struct store_place {
	struct place place;
	gint64 id; /* 0: none */
};

struct store {
	sqlite3 *database;
	char *file;
	sqlite3_stmt *writes[TABLES], *writes_many[TABLES]; /* of store_rows.c; NULL: not yet */
	sqlite3_stmt *drops[STORE_DROPS];                   /* of store.c */
	GHashTable *communicators; /* set of the numbers of those in the file */
	GHashTable *places;        /* struct place to its id, for places in the file */
	struct store_place met[64];
	store_excerpt_find find_excerpt; /* NULL: store no source */
	void *find_data;
	gint64 last_place;
	gint64 committed_place; /* higher ids are lost when the transaction fails */
	struct store_stacks stacks;
	GHashTable *indices;            /* id of an execution to its GVariant of STORE_INDICES */
	char *launcher;                 /* of the exploration; NULL: the usual one */
	bool common_changed;            /* indices or launcher, since they were written */
	struct record_execution *later; /* the postponed interleaving; NULL: none */
	bool holding;                   /* several calls form one transaction */
	GError *failed;         /* why the transaction failed: nothing more is written; NULL: it did
				 * not */
	struct stopwatch watch; /* time to open, write and close */
};

/* Writes a row for a record, with keys in the order of the columns. The other writes a row for each
 * of an array of records with the same keys. */
#define STORE_KEYS(...) ((const gint64[]){__VA_ARGS__})
bool store_put(struct store *store, enum table_id table, const gint64 *keys, const void *record,
               GError **error);
bool store_put_all(struct store *store, enum table_id id, const gint64 *keys, const GArray *records,
                   GError **error);

/* Writes many rows of one table in turn, several by one statement. What a record refers to must
 * stay until all are written. After an error none of the rest may be put. */
struct rows {
	struct store *store;
	enum table_id table;
	guint left;              /* that are to be put */
	guint together;          /* rows of the current statement */
	guint bound;             /* of those */
	sqlite3_stmt *statement; /* NULL: none yet */
};
bool rows_put(struct rows *rows, const gint64 *keys, const void *record, GError **error);

/* Forgets places written since the last transaction, which are lost. */
void store_forget_places(struct store *store);
void store_finalize_writes(struct store *store);

/* Writes its matches and calls (store_calls.c). Returns the id of the first of each; 0: none. */
bool store_put_calls(struct store *store, const struct record_execution *execution,
                     gint64 *ret_first_call, gint64 *ret_first_match, GError **error);

/* Which indices calls have returned (store_indices.c): notes those of an execution, replacing
 * earlier ones; inserts all into data for the table common, and the launcher; writes them if they
 * have changed; reads those of an earlier session; forgets those of executions behind `last`. */
void store_note_indices(struct store *store, uint32_t execution, const GArray *calls);
void store_insert_common(const struct store *store, GVariantDict *common);
bool store_write_common(struct store *store, GError **error);
bool store_read_indices(struct store *store, GError **error);
void store_forget_indices(struct store *store, uint64_t last);

bool store_run(struct store *store, const char *text, GError **error);
/* Finalize it; NULL with `error` set on failure. */
sqlite3_stmt *store_prepare(const struct store *store, const char *text, GError **error);

/* A transaction, or a part of one while writes are held. Each store_begin needs a store_finish with
 * `good` (whether its writes succeeded); it returns whether all was written. */
bool store_begin(struct store *store, GError **error);
bool store_finish(struct store *store, bool good, GError **error);

#endif
