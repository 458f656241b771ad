/* Restores files to earlier states. Ranks record in a journal (agent_journal.h) what they change by
 * name. The changes are undone before the next interleaving begins, and at the end.
 *
 * One world at a time uses a journal (else see journal_share), and no rank may run during one of
 * these functions. A state is the state of all recorded paths at some moment (a snapshot, for
 * example). NULL is the first state, before any change. Restoring a state: each path gets what the
 * state contains for it, else what it had in the first state. */
#ifndef MATCHPOINT_CKPT_JOURNAL_H
#define MATCHPOINT_CKPT_JOURNAL_H

#include <glib.h>
#include <stdbool.h>

/* bytes copied for a state; copying more does not pay */
#define JOURNAL_STATE_MAX ((guint64)64 << 20)

struct journal;
struct journal_state;

/* Creates the journal's directory in `parent`, preferably on the file system of the files. NULL and
 * `error` set (G_FILE_ERROR) on failure. */
struct journal *journal_new(const char *parent, GError **error);

/* Restores the first state and removes the journal. All states must have been freed. NULL is
 * allowed. */
void journal_free(struct journal *journal);

/* Ranks may run from now on while files are restored: a path may count as restored and then be
 * changed by a rank that recorded it before. journal_free therefore restores each path that was
 * ever recorded. */
void journal_share(struct journal *journal);

/* Absolute path, for the ranks. */
const char *journal_path(const struct journal *journal);

/* Call about once a second. If this process dies, files changed later than the last call are
 * recognised as changed by someone else than the program. */
void journal_lives(struct journal *journal);

/* The present state of all recorded paths. NULL and `error` set if it is too much to copy. */
struct journal_state *journal_save(struct journal *journal, GError **error);
void journal_state_free(struct journal_state *state);

/* Restores a state of this journal. */
void journal_put_back(struct journal *journal, const struct journal_state *state);

/* What could not be restored so far: a sentence each (char *), sorted by path, each path once. */
const GPtrArray *journal_problems(const struct journal *journal);

/* Whether the program has changed no file by name since the journal was created. */
bool journal_is_empty(const struct journal *journal);

/* The absolute paths (char *), sorted, that have been recorded since the files were restored: they
 * may have changed. NULL: none. Costs one look into a directory if there is none. */
GPtrArray *journal_changed(const struct journal *journal);

/* What was at a recorded path in the first state; as journal_contents_now. */
GBytes *journal_contents_first(const struct journal *journal, const char *path, guint64 most);

/* What is at a path now: the bytes of a file, or a few words in parentheses about anything else,
 * and about a file of more than `most` bytes. NULL: there is nothing. */
GBytes *journal_contents_now(const char *path, guint64 most);

/* Copies the recorded files that exist now to a new directory: by their path relative to `below`;
 * outside of it by their absolute path without the first slash. */
bool journal_keep(struct journal *journal, const char *below, const char *directory,
                  GError **error);

/* --- journals left by processes that were killed (journal_left.c) ---
 *
 * Absolute paths (char *) of all journals in `parent`. */
GPtrArray *journal_list(const char *parent);

/* Ends all processes that may still change files of the journal at `path`. False: some still
 * run. */
typedef bool (*journal_vacate)(const char *path);

struct journal_recovery {
	GPtrArray *problems; /* what could not be restored: a sentence each (char *) */
	/* directory beside the journal with files that were changed after its owner had died; NULL:
	 * none */
	char *replaced;
};
void journal_recovery_clear(struct journal_recovery *recovery);

/* Restores the first state of a journal whose owner is dead (a zombie counts as dead, and so does a
 * reused process number), and removes the journal. False and `error` set (G_FILE_ERROR): some files
 * could not be restored although they had been kept, and the journal stays. True also if there is
 * no journal (any more), or its owner lives. */
bool journal_recover(const char *path, journal_vacate vacate, struct journal_recovery *ret_recovery,
                     GError **error);

#endif
