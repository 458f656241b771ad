/* The file of the store, shared by the writer (store.c) and the reader (reader.c). Its tables:
 * tables.h. */
#ifndef MATCHPOINT_SCHEDULER_STORE_SCHEMA_H
#define MATCHPOINT_SCHEDULER_STORE_SCHEMA_H

#define STORE_FILE "matchpoint.db"
#define STORE_APPLICATION 0x4d504e54 /* "MPNT", in the file's header */
#define STORE_VERSION 20             /* user_version */

/* All tables, as they were created. */
#define STORE_TABLES                                  \
	"SELECT coalesce(group_concat(sql, ';'), '')" \
	" FROM (SELECT sql FROM sqlite_schema ORDER BY name)"

/* common: what interleavings that end well are compared with. `path` (s) and `texts` (aay, by
 * rank): an interleaving that all shards ran, and what it printed; `left-out` (OUTCOMES_LEFT_OUT):
 * lines that vary by themselves; `again` (b): an interleaving of each outcome was run again to see
 * which; `files` (s): how what a shard leaves in files differs from what that interleaving left.
 * And `split` (s): a digest of how the tree was split. */
#define STORE_COMMON_TYPE "a{sv}"

#endif
