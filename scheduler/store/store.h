/* The store: all records of one exploration, in one SQLite file, `matchpoint.db` in the directory
 * of --store. This is the writer; reader.h is the reader. Reports read nothing but the store.
 * Tables and version: schema.h.
 *
 * One process writes at a time (locking_mode=EXCLUSIVE); nobody can read until store_close. Every
 * call that writes is one transaction: after kill -9 the store contains only whole interleavings.
 * All functions block on the disk and belong to the scheduler's thread. */
#ifndef MATCHPOINT_SCHEDULER_STORE_STORE_H
#define MATCHPOINT_SCHEDULER_STORE_STORE_H

#include <stdbool.h>

#include "record.h"

struct store;

#define STORE_ERROR (store_error_quark())
GQuark store_error_quark(void);
enum store_error {
	STORE_ERROR_NOT_A_STORE, /* the file is something else, or damaged */
	STORE_ERROR_EMPTY,       /* an earlier exploration ended before it wrote anything */
	STORE_ERROR_VERSION,     /* written by another version of matchpoint */
	STORE_ERROR_BUSY,        /* another matchpoint has it open */
	STORE_ERROR_FULL,        /* no space left on the device */
	STORE_ERROR_OTHER,       /* it contains another exploration */
	STORE_ERROR_IO,          /* other errors: cannot be created, read-only, ... */
};

/* Opens the store in `directory` for a new exploration. Creates the directory and its parents if
 * missing. Replaces an earlier exploration there. Refuses a file that is no store, or a store of a
 * later format, and leaves it unchanged. NULL with `error` set: the message names the file and
 * what to do. */
struct store *store_create(const char *directory, GError **error);

/* The same to continue the exploration in the store, which is kept. It is an error if there is
 * none, or if it has another format (schema.h). */
struct store *store_continue(const char *directory, GError **error);

/* From now on all writes form one transaction, until store_release (or store_close) ends it. If a
 * write or the end fails, nothing of the transaction is written, nor anything after it: all writes
 * then fail in the same way, and the file keeps its earlier contents. */
void store_hold(struct store *store);
bool store_release(struct store *store, GError **error);

/* Closes the file and frees the store; NULL is allowed. What was written is kept. */
void store_close(struct store *store);

/* The same, but discards what is held. */
void store_drop(struct store *store);

/* Writes the description of the exploration. Call it before the first execution, and again with the
 * results at the end (complete, seconds, ...); the last one counts. */
bool store_put_exploration(struct store *store, const struct record_exploration *exploration,
                           GError **error);

/* Adds an interleaving. In the same transaction it writes the findings that are new or changed
 * (GPtrArray of struct record_finding, replaced by id; NULL: none). `execution` NULL: writes only
 * the findings, for example after their replays. On an error nothing of it is written, and the
 * store can be closed or the call repeated. */
bool store_add(struct store *store, const struct record_execution *execution,
               const GPtrArray *findings, GError **error);

/* The same for an interleaving without new findings. While writes are held, the write is postponed
 * until there is time (store_catch_up) or the next write, so the order stays the same. Its arrays
 * must not change from now on. false with `error` set: it, or an earlier postponed one, could not
 * be written. */
bool store_add_later(struct store *store, const struct record_execution *execution, GError **error);

/* Does the postponed write, if any. */
bool store_catch_up(struct store *store, GError **error);

/* Replaces the calls (struct record_call) of an interleaving that has been added. */
bool store_replace_calls(struct store *store, uint32_t execution, const GArray *calls,
                         GError **error);

/* Writes the stacks of the calls of an interleaving that has been added: an array of struct
 * record_stack, and the frames of all stacks (GArray of struct record_frame) by number - 1. Between
 * calls of this function, `stacks` may only grow at the end. */
bool store_put_stacks(struct store *store, uint32_t execution, const GArray *calls,
                      const GPtrArray *stacks, GError **error);

/* Sets a function that finds the source around each place written from now on. It returns false if
 * there is none; otherwise the store frees the text. */
typedef bool (*store_excerpt_find)(void *data, const struct place *place,
                                   struct record_excerpt *ret);
void store_excerpts_from(struct store *store, store_excerpt_find find, void *data);

/* Records that these interleavings (ids), already added, show this finding as well. */
bool store_show(struct store *store, uint32_t finding, const uint32_t *executions, size_t count,
                GError **error);

/* --- resume (store_search.c) ---
 *
 * What was explored: names and values in turns, NULL at the end. store_identical sets an error that
 * names what has changed. */
bool store_identify(struct store *store, const GPtrArray *identity, GError **error);
bool store_identical(struct store *store, const GPtrArray *identity, GError **error);

/* An unexplored part of the tree. */
struct store_part {
	uint32_t buffering; /* enum buffering */
	GVariant *frontier; /* explorer/frontier.h; NULL: the whole tree */
};
void store_part_free(struct store_part *part);

/* Writes the unexplored parts (GPtrArray of struct store_part) and the session's state. Replaces
 * earlier ones. */
bool store_put_search(struct store *store, GVariant *state, const GPtrArray *parts, GError **error);
/* Reads them; *ret_state is NULL if none were written. Unref both. */
bool store_get_search(struct store *store, GVariant **ret_state, GPtrArray **ret_parts,
                      GError **error);

/* Data for merges (STORE_COMMON_TYPE); writing replaces earlier data. NULL if none was written;
 * free with g_variant_unref. */
bool store_put_common(struct store *store, GVariant *common, GError **error);
bool store_get_common(struct store *store, GVariant **ret_common, GError **error);

/* Adds an interleaving and its output (GBytes by rank) to the data for merges. */
void store_common_texts(GVariantDict *common, const char *path, const GPtrArray *texts,
                        guint ranks);

/* Deletes all findings, and the interleavings with ids above `last`. */
bool store_forget_findings(struct store *store, uint64_t last, GError **error);

/* The file's name, for messages. */
const char *store_file(const struct store *store);

#endif
