/* The file of the store, shared by the writer (store.c) and the reader (reader.c). See tables.h for
 * its tables. */
#ifndef MATCHPOINT_SCHEDULER_STORE_SCHEMA_H
#define MATCHPOINT_SCHEDULER_STORE_SCHEMA_H

#define STORE_FILE "matchpoint.db"
#define STORE_APPLICATION 0x4d504e54 /* "MPNT", in the file's header */
#define STORE_VERSION 20             /* user_version */

/* The CREATE statements of all tables. */
#define STORE_TABLES                                  \
	"SELECT coalesce(group_concat(sql, ';'), '')" \
	" FROM (SELECT sql FROM sqlite_schema ORDER BY name)"

/* Data for merges, in the table common. `path` (s) and `texts` (aay, by rank): an interleaving that
 * all shards ran, and its output. `left-out` (OUTCOMES_LEFT_OUT): lines that vary by themselves.
 * `again` (b): an interleaving of each outcome was run again to find them. `files` (s): how files
 * left by this shard differ from those that the interleaving left. `split` (s): a digest of how the
 * tree was divided. */
#define STORE_COMMON_TYPE "a{sv}"

#endif
