/* The store: everything seen in one exploration, in one SQLite file, `matchpoint.db` in the
 * directory of --store. This is the writer; reader.h reads it back, and nothing but
 * the store is read by a report. Tables and version: schema.h.
 *
 * One process writes at a time (locking_mode=EXCLUSIVE); nobody can read until store_close. Every
 * call that writes is one transaction: after kill -9 the store holds whole interleavings only.
 * All functions block for the disk and belong to the scheduler's thread. */
#ifndef MATCHPOINT_SCHEDULER_STORE_STORE_H
#define MATCHPOINT_SCHEDULER_STORE_STORE_H

#include <stdbool.h>

#include "record.h"

struct store;

#define STORE_ERROR (store_error_quark())
GQuark store_error_quark(void);
enum store_error {
	STORE_ERROR_NOT_A_STORE, /* the file is something else, or damaged */
	STORE_ERROR_EMPTY,       /* an exploration was stopped before it was written down there */
	STORE_ERROR_VERSION,     /* written by another version of matchpoint */
	STORE_ERROR_BUSY,        /* another matchpoint has it open */
	STORE_ERROR_FULL,        /* no space left on the device */
	STORE_ERROR_OTHER,       /* it holds the exploration of something else */
	STORE_ERROR_IO,          /* anything else: cannot be created, read-only, ... */
};

/* Opens the store in `directory` for a new exploration, making the directory (and its parents) if
 * it is missing. An exploration that an earlier run left there is replaced; a file that is no
 * store, or one of a later format, is refused and left as it is. NULL with `error` set: the
 * message names the file and what to do. */
struct store *store_create(const char *directory, GError **error);

/* The same for going on with the exploration that is there: what it wrote stays, and if there is
 * none that is an error. So is a store of another format (schema.h). */
struct store *store_continue(const char *directory, GError **error);

/* From now on the calls that write make one transaction together, until store_release ends it (or
 * store_close). Once one of them fails, or the end does, nothing of the transaction is written, and
 * nothing after it: all that write fail alike, and the file keeps what it held before. */
void store_hold(struct store *store);
bool store_release(struct store *store, GError **error);

/* Closes the file and frees the store; NULL is legal. What was written stays. */
void store_close(struct store *store);

/* The same, and what has been held is not written. */
void store_drop(struct store *store);

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

/* The same for an interleaving that brings no finding, but where writing is held it is done only
 * when there is time (store_catch_up), or else before whatever is written next, so that all is
 * written in the order in which it came. Its arrays must not change from now on. false with `error`
 * set: it could not be written, or one that was left before. */
bool store_add_later(struct store *store, const struct record_execution *execution, GError **error);

/* Writes what was left for later, if anything. */
bool store_catch_up(struct store *store, GError **error);

/* The calls (struct record_call) of an interleaving that has been added without; those that it has
 * are replaced. */
bool store_replace_calls(struct store *store, uint32_t execution, const GArray *calls,
                         GError **error);

/* Where the calls of an interleaving that has been added stand: an array of struct record_stack,
 * and the frames of all stacks (GArray of struct record_frame) by number - 1. From call to call of
 * this function stacks are only added behind. */
bool store_put_stacks(struct store *store, uint32_t execution, const GArray *calls,
                      const GPtrArray *stacks, GError **error);

/* Asks for the source around each place that is written from now on: false when `find` knows of
 * none, else the text is the store's to free. */
typedef bool (*store_excerpt_find)(void *data, const struct place *place,
                                   struct record_excerpt *ret);
void store_excerpts_from(struct store *store, store_excerpt_find find, void *data);

/* Interleavings that have been added show this finding, too: their ids. */
bool store_show(struct store *store, uint32_t finding, const uint32_t *executions, size_t count,
                GError **error);

/* --- to go on later (store_search.c) ---
 *
 * What was explored: name and value in turns, and so on, NULL at the end. store_identical tells in
 * the error's message what is not the same any more. */
bool store_identify(struct store *store, const GPtrArray *identity, GError **error);
bool store_identical(struct store *store, const GPtrArray *identity, GError **error);

/* A part of the tree that is left. */
struct store_part {
	uint32_t buffering; /* enum buffering */
	GVariant *frontier; /* explorer/frontier.h; NULL: all of it */
};
void store_part_free(struct store_part *part);

/* Writes what is left (GPtrArray of struct store_part), and what else the session must know then;
 * what was written before is forgotten. */
bool store_put_search(struct store *store, GVariant *state, const GPtrArray *parts, GError **error);
/* Reads them; *ret_state is NULL when nothing was written. Unref both. */
bool store_get_search(struct store *store, GVariant **ret_state, GPtrArray **ret_parts,
                      GError **error);

/* What a merge must know besides (STORE_COMMON_TYPE); what was written before is forgotten. NULL
 * when nothing was written; unref it. */
bool store_put_common(struct store *store, GVariant *common, GError **error);
bool store_get_common(struct store *store, GVariant **ret_common, GError **error);

/* Adds an interleaving and what it printed, GBytes by rank, to what becomes common. */
void store_common_texts(GVariantDict *common, const char *path, const GPtrArray *texts,
                        guint ranks);

/* Forgets all findings, and the interleavings with ids above `last`. */
bool store_forget_findings(struct store *store, uint64_t last, GError **error);

/* The file's name, for messages. */
const char *store_file(const struct store *store);

#endif
