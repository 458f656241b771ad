/* What journal.c and journal_left.c share. Nobody else includes it. */
#ifndef MATCHPOINT_CKPT_JOURNAL_INTERNAL_H
#define MATCHPOINT_CKPT_JOURNAL_INTERNAL_H

#include <stdbool.h>

#include "agent_journal.h"
#include "journal.h"

#define JOURNAL_PREFIX "files-"

struct journal {
	char *path;
	GHashTable *told; /* paths that could not be put back */
	GPtrArray *problems;
	guint failures; /* of them, those that had been kept */
	guint32 states; /* made so far */
	int owner;      /* the file that is locked as long as the owner lives; -1: not ours */
	int trouble;    /* AGENT_JOURNAL_TROUBLE, once it has been looked at; -1: not yet */
	gint64 lived;   /* when that was last touched, monotonic microseconds */
};

/* A journal at a path, which it takes over, without a look at what is there; and its memory is
 * freed, whatever is there. */
struct journal *journal_of(char *path);
void journal_forget(struct journal *journal);

/* Makes this process the owner. false with errno. */
bool journal_own(struct journal *journal);

/* Goes to the first state, whatever has been noted as put back: somebody was killed on the way.
 * Shows each path before any is changed; none is when that returns false. */
void journal_put_back_all(struct journal *journal,
                          bool (*look)(const struct agent_journal_state *wanted, void *data),
                          void *data);

/* Removes the directory of a journal. */
void journal_remove(const char *path);

/* Copies a file to `relative` in the directory, which is made. true also when it is no file. */
bool journal_keep_file(const char *path, const char *relative, const char *directory,
                       GError **error);

#endif
