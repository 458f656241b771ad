/* What the files of the store share: store.c and store_*.c. */
#ifndef MATCHPOINT_SCHEDULER_STORE_INTERNAL_H
#define MATCHPOINT_SCHEDULER_STORE_INTERNAL_H

#include <sqlite3.h>

#include "stopwatch.h"
#include "store.h"

/* Says what SQLite's last error means to the user; false, for returning it. */
bool store_fail(const struct store *store, GError **error);

/* The id of a place, 0 for an unknown one; -1 on failure. */
int64_t store_put_place(struct store *store, const struct place *place, GError **error);

/* Where the stacks of this session stand among those in the file. */
struct store_stacks {
	bool known;     /* the first */
	int64_t first;  /* number in the file of the one that is 0 here */
	uint32_t count; /* that are in the file */
};

struct store {
	sqlite3 *database;
	char *file;
	sqlite3_stmt **statements; /* of store.c */
	struct store_calls *calls; /* NULL: none were written */
	GHashTable *places;        /* struct place to its id, for those in the file */
	struct source_text *source;
	gint64 last_place;
	gint64 committed_place; /* ids above this one are gone when the transaction fails */
	struct store_stacks stacks;
	bool holding;           /* several calls make one transaction */
	GError *failed;         /* why that could not be written: nothing more is; NULL: all well */
	struct stopwatch watch; /* what opening, writing and closing cost */
};

/* Writes its matches and calls (store_calls.c), and tells the ids of the first of each; 0: none. */
bool store_put_calls(struct store *store, const struct record_execution *execution,
                     gint64 *ret_first_call, gint64 *ret_first_match, GError **error);
/* What was written last is gone. NULL is legal. */
void store_calls_forget(struct store_calls *calls);
void store_calls_free(struct store_calls *calls);

bool store_run(struct store *store, const char *text, GError **error);
/* Finalize it; NULL: it could not be made (`error` set). */
sqlite3_stmt *store_prepare(const struct store *store, const char *text, GError **error);

/* A transaction, or a part of one while they are held together. Each that has begun is to be
 * finished, which tells whether it was `good` and could be written. */
bool store_begin(struct store *store, GError **error);
bool store_finish(struct store *store, bool good, GError **error);

#endif
