/* The store: everything seen in one exploration, in one SQLite file, `matchpoint.db` in the
 * directory of --store. This is the writer; reports/store_reader.h reads it back, and nothing but
 * the store is read by a report. Tables and version: store_schema.h.
 *
 * One process writes at a time (locking_mode=EXCLUSIVE); nobody can read until store_close. Every
 * call that writes is one transaction: after kill -9 the store holds whole interleavings only.
 * All functions block for the disk and belong to the scheduler's thread. */
#ifndef MATCHPOINT_SCHEDULER_STORE_H
#define MATCHPOINT_SCHEDULER_STORE_H

#include "record.h"

struct store;

#define STORE_ERROR (store_error_quark())
GQuark store_error_quark(void);
enum store_error {
	STORE_ERROR_NOT_A_STORE, /* the file is something else, or damaged */
	STORE_ERROR_VERSION,     /* written by another version of matchpoint */
	STORE_ERROR_BUSY,        /* another matchpoint has it open */
	STORE_ERROR_FULL,        /* no space left on the device */
	STORE_ERROR_IO,          /* anything else: cannot be created, read-only, ... */
};

/* Opens the store in `directory` for a new exploration, making the directory (and its parents) if
 * it is missing. An exploration that an earlier run left there is replaced; a file that is no
 * store, or one of another version, is refused and left as it is. NULL with `error` set: the
 * message names the file and what to do. */
struct store *store_create(const char *directory, GError **error);

/* Closes the file and frees the store; NULL is legal. What was written stays. */
void store_close(struct store *store);

/* Writes what the exploration is, or again, with its end (complete, seconds, ...): the last one
 * counts. To be called before the first execution. */
bool store_put_exploration(struct store *store, const struct record_exploration *exploration,
                           GError **error);

/* Adds an interleaving, and with it, in the same transaction, the findings that are new or changed
 * by it (GPtrArray of struct record_finding, replaced by id; NULL: none). `execution` may be NULL:
 * then the findings alone (their replays are done, say). On an error nothing of it is written, and
 * the store can be closed or tried again. */
bool store_add(struct store *store, const struct record_execution *execution,
               const GPtrArray *findings, GError **error);

/* Interleavings that have been added show this finding, too: their ids. */
bool store_show(struct store *store, uint32_t finding, const uint32_t *executions, size_t count,
                GError **error);

/* The file's name, for messages. */
const char *store_file(const struct store *store);

#endif
