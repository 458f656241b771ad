/* Stores of earlier versions of matchpoint. Their contents are copied into the current tables. The
 * tables of each version must match exactly; otherwise nothing in the file is executed.
 *
 * If you raise STORE_VERSION, add the last version to old_store.c: the digest of its tables
 * (printed by the unit test of this module), and the conversion step. */
#ifndef MATCHPOINT_SCHEDULER_STORE_OLD_STORE_H
#define MATCHPOINT_SCHEDULER_STORE_OLD_STORE_H

#include <glib.h>
#include <sqlite3.h>
#include <stdbool.h>

/* The first version that can be read. */
#define STORE_OLDEST 14

/* SHA-256 of all CREATE statements of a database; free with g_free. NULL: it cannot be read. */
char *old_store_digest(sqlite3 *database);

/* Creates the current tables (schema.h) in `to`, an empty database, and copies the contents of
 * `from`, which has the earlier `version`. Neither may be in a transaction. Returns an SQLite code.
 * On an error `to` is unusable: SQLITE_SCHEMA if the tables are not those of that version,
 * SQLITE_CORRUPT if they are damaged. */
int old_store_convert(sqlite3 *from, int64_t version, sqlite3 *to);

/* Whether a later session can resume the search in a store of this version. */
bool old_store_can_resume(int64_t version);

#endif
