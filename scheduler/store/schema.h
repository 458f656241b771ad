/* The file of the store, shared by the writer (store.c) and the reader (reader_file.c). Its tables:
 * tables.h.
 *
 * From 0.3 on, every version of matchpoint reads the stores that earlier versions have written,
 * back to STORE_OLDEST. Lower formats were in use before 0.3 and are refused.
 *
 * The format changes when tables.c changes, or the meaning of a stored value. Such a change must:
 *
 * 1. raise STORE_VERSION, and the number and digest in tests/unit/test_schema.c;
 * 2. have the reader convert stores of the formats in between: compare their tables with those of
 *    their format to the letter, as check_schema does; copy the rows into the tables of today in a
 *    temporary database; then change the values whose meaning has changed. The file stays as it is;
 * 3. have store_continue do the same and replace the file, or say why it cannot go on with such a
 *    search;
 * 4. add a store of the former format to the tests, which report, merge and resume it.
 *
 * The history has an example of 2 and 3: scheduler/store/old_store.c, removed with 0.3. */
#ifndef MATCHPOINT_SCHEDULER_STORE_SCHEMA_H
#define MATCHPOINT_SCHEDULER_STORE_SCHEMA_H

#include <glib.h>

#include <stdint.h>

#define STORE_FILE "matchpoint.db"
#define STORE_APPLICATION 0x4d504e54 /* "MPNT", in the file's header */
#define STORE_VERSION 23             /* the format: user_version */
#define STORE_OLDEST 23              /* that can be read: the format of 0.3 */

/* The CREATE statements of all tables. */
#define STORE_TABLES                                  \
	"SELECT coalesce(group_concat(sql, ';'), '')" \
	" FROM (SELECT sql FROM sqlite_schema ORDER BY name)"

/* Data for merges, in the table common. `path` (s) and `texts` (aay, by rank): an interleaving that
 * all shards ran, and its output. `left-out` (OUTCOMES_LEFT_OUT): lines that vary by themselves.
 * `varying` (VARYING_LINES_EVERYWHERE): those that varied whatever was run again. `erratic`
 * (VARYING_LINES_SUSPECT): a line that varies under some choices only.
 * `again` (b): an interleaving of each outcome was run again to find them. `wrote` (b): the program
 * has changed files that are compared. `files` (s): how files left by this shard differ from those
 * that the interleaving left. `split` (s): a digest of how the tree was divided. */
#define STORE_COMMON_TYPE "a{sv}"

/* There for reports, if states were explored: what the number of interleavings is (enum
 * record_counts), the number of executions when it was written, that of all interleavings, and of
 * each execution that does not stand for one: its id, and for how many it stands. */
#define STORE_WEIGHTS "weights"
#define STORE_WEIGHTS_TYPE "(utta(ut))"

/* There for reports: what MPI_Waitany, Testany, Waitsome and Testsome have returned in an execution
 * (its id) whose calls are kept: rank, call, number of indices, and those indices, in the order of
 * the calls. 0: MPI_UNDEFINED; STORE_INDICES_UNKNOWN: it is not known, and none follow. Calls that
 * are left out have returned none. Nothing of an execution: there is no such call, or a session
 * that was killed has not written them. */
#define STORE_INDICES "indices"
#define STORE_INDICES_TYPE "a(uau)"
#define STORE_INDICES_UNKNOWN UINT32_MAX

/* There for reports, if it was not the usual one: --launcher (s). */
#define STORE_LAUNCHER "launcher"

/* Adds what a table common (NULL: none) has of indices to `indices`: from the id of an execution to
 * its numbers, a GVariant "au", whose references pass to the table. */
void schema_read_indices(GVariant *common, GHashTable *indices);

/* Why a store with this user_version cannot be used, and what to do, as a message that names
 * `file` (DIRECTORY/matchpoint.db); free with g_free. NULL: it can be used. */
char *schema_version_problem(const char *file, int64_t version);

#endif
