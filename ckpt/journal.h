/* Files as they were: what the ranks note in a journal (agent_journal.h) while they change files by
 * name, put back before the next interleaving begins, and in the end.
 *
 * One world at a time uses a journal, and no rank may run while one of these functions does. A
 * state is what stood at all noted paths at some moment (a snapshot, say); NULL stands for the
 * first, before anything was changed. Going to a state: each path gets what the state holds of it,
 * else what stood there at first. */
#ifndef MATCHPOINT_CKPT_JOURNAL_H
#define MATCHPOINT_CKPT_JOURNAL_H

#include <glib.h>
#include <stdbool.h>

#define JOURNAL_STATE_MAX ((guint64)64 << 20) /* bytes copied for a state; more are not worth it */

struct journal;
struct journal_state;

/* Makes a directory for it in `parent`, best on the file system of the files. NULL with `error`
 * set (G_FILE_ERROR). */
struct journal *journal_new(const char *parent, GError **error);

/* Puts the files back to the first state and removes the journal. All states are freed before.
 * NULL is legal. */
void journal_free(struct journal *journal);

/* Absolute: what the ranks are told. */
const char *journal_path(const struct journal *journal);

/* To be called every second or so: when this process is gone, it can be told which files were
 * changed after that, and not by the program. */
void journal_lives(struct journal *journal);

/* What stands now at all noted paths; NULL with `error` set when it is too much to copy. */
struct journal_state *journal_save(struct journal *journal, GError **error);
void journal_state_free(struct journal_state *state);

/* Goes to a state of this journal. */
void journal_put_back(struct journal *journal, const struct journal_state *state);

/* What could not be put back as yet, a sentence each (char *), by path, each path once. */
const GPtrArray *journal_problems(const struct journal *journal);

/* Whether the program has changed no file by name since the journal was made. */
bool journal_is_empty(const struct journal *journal);

/* Copies the noted files that are there now to a new directory: by their path relative to
 * `below`, or, outside of it, by their absolute path without the first slash. */
bool journal_keep(struct journal *journal, const char *below, const char *directory,
                  GError **error);

/* --- what was left by those who were killed (journal_left.c) ---
 *
 * Absolute paths (char *) of all journals in `parent`. */
GPtrArray *journal_list(const char *parent);

/* Ends all processes that might still change files of the journal at `path`; false: some run on. */
typedef bool (*journal_vacate)(const char *path);

struct journal_recovery {
	GPtrArray *problems; /* what could not be put back, a sentence each (char *) */
	char *replaced;      /* a directory beside the journal with what was changed after its owner
	                        was gone; NULL: nothing was */
};
void journal_recovery_clear(struct journal_recovery *recovery);

/* Puts the files back to the first state of a journal whose owner is gone (be it that nobody has
 * waited for it yet, or that another process has its number now), and removes it. false with
 * `error` set (G_FILE_ERROR): some could not be put back, though they were kept, and the journal
 * stays as well. true also when there is none (any more), or its owner lives. */
bool journal_recover(const char *path, journal_vacate vacate, struct journal_recovery *ret_recovery,
                     GError **error);

#endif
