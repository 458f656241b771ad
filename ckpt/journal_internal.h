/* Shared by journal.c and journal_left.c. No other file includes it. */
#ifndef MATCHPOINT_CKPT_JOURNAL_INTERNAL_H
#define MATCHPOINT_CKPT_JOURNAL_INTERNAL_H

#include <stdbool.h>

#include "agent_journal.h"
#include "journal.h"

#define JOURNAL_PREFIX "files-"

struct journal {
	char *path;
	GHashTable *reported; /* paths that could not be restored */
	GPtrArray *problems;
	guint failures; /* of these, the number that had been kept */
	guint32 states; /* states created so far */
	bool shared;    /* see journal_share */
	/* descriptor of the file that is locked as long as the owner lives; -1: not ours */
	int owner;
	int trouble;  /* AGENT_JOURNAL_TROUBLE, once it has been read; -1: not yet */
	gint64 lived; /* when `owner` was last touched, monotonic microseconds */
};

/* journal_of: takes ownership of the path, and does not check what is there. journal_forget: frees
 * the memory, and leaves the files. */
struct journal *journal_of(char *path);
void journal_forget(struct journal *journal);

/* Makes this process the owner. False with errno on failure. */
bool journal_own(struct journal *journal);

/* Restores the first state even for paths that count as restored, because a process may have been
 * killed while restoring, or ranks ran. Calls `look`, unless NULL, for each path before any is
 * changed; if it returns false, nothing is changed. */
void journal_put_back_all(struct journal *journal,
                          bool (*look)(const struct agent_journal_state *wanted, void *data),
                          void *data);

/* Copies a file to `relative` in the directory, which is created. True also if it is not a regular
 * file. */
bool journal_keep_file(const char *path, const char *relative, const char *directory,
                       GError **error);

#endif
