/* Stores that earlier versions of matchpoint have written: what they hold is copied into the tables
 * of today. The tables of each version are known to the letter; of anything else nothing is run.
 *
 * Did you raise STORE_VERSION? Add what the last version had to old_store.c: the digest of its
 * tables (the unit test of this module tells it), and the step from there to here. */
#ifndef MATCHPOINT_SCHEDULER_STORE_OLD_STORE_H
#define MATCHPOINT_SCHEDULER_STORE_OLD_STORE_H

#include <glib.h>
#include <sqlite3.h>
#include <stdbool.h>

/* The first version that can be read. */
#define STORE_OLDEST 14

/* SHA-256 of all tables of a database as they were created; free with g_free. NULL: it cannot be
 * read. */
char *old_store_digest(sqlite3 *database);

/* Fills `to`, an empty database, with the tables of today (schema.h) and what `from`, of an earlier
 * version, holds; neither is in a transaction. An error of SQLite's, and `to` is then of no use:
 * SQLITE_SCHEMA when the tables are not those of that version, SQLITE_CORRUPT when they are
 * damaged. */
int old_store_convert(sqlite3 *from, int64_t version, sqlite3 *to);

/* Whether a later session can go on with what such a store has left to explore. */
bool old_store_can_resume(int64_t version);

#endif
