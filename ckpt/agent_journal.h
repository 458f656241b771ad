/* The journal of files: the old state of each path that a program changes by name, kept before the
 * change, so that the next interleaving finds all files as this one did. This header has the rank's
 * side, and what both sides do with one path; journal.h decides which paths are restored when. Libc
 * only, no memory from the program's heap.
 *
 * A journal is a directory:
 *
 *   owner     locked by the scheduler as long as it lives
 *   lock      held while a path is recorded
 *   trouble   the first path that could not be recorded, and a newline; in reserved space
 *   base/     each path's state before its first change; recorded by the first rank that changes it
 *   now/      an empty file for each path that has been recorded since the files were restored
 *   s<N>/     states of such paths when a snapshot was taken
 *
 * A path is identified by a hash. <key> describes the state of the path, <key>.data has the
 * contents of a file. */
#ifndef MATCHPOINT_CKPT_AGENT_JOURNAL_H
#define MATCHPOINT_CKPT_AGENT_JOURNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define AGENT_JOURNAL_BASE "base"
#define AGENT_JOURNAL_NOW "now"
#define AGENT_JOURNAL_LOCK "lock"
#define AGENT_JOURNAL_TROUBLE "trouble"
#define AGENT_JOURNAL_TROUBLE_SIZE 8192              /* bytes: blanks, or a path and a newline */
#define AGENT_JOURNAL_FILE_MAX ((uint64_t)256 << 20) /* bytes; larger files are not copied */
#define AGENT_JOURNAL_KEY_SIZE 33                    /* 32 hexadecimal digits and '\0' */

enum agent_journal_kind {
	AGENT_JOURNAL_ABSENT,
	AGENT_JOURNAL_FILE,
	AGENT_JOURNAL_DIRECTORY,
	AGENT_JOURNAL_LINK, /* symbolic; its data is its target */
	AGENT_JOURNAL_LOST, /* not kept; `reason` has the cause */
};

struct agent_journal_state {
	enum agent_journal_kind kind;
	mode_t mode;
	uint64_t size, device, inode;
	struct timespec modified, changed, captured;
	struct timespec born; /* file: time of creation; 0: the file system does not record it */
	char reason[128];     /* a clause for the user */
	char path[PATH_MAX];
};

/* Sets the journal, and a directory that is not recorded (NULL: none). Both must be absolute paths.
 * Without a call, and after NULL, nothing is recorded. */
void agent_journal_open(const char *directory, const char *excluded);
/* Excludes another directory, or no other (NULL). */
void agent_journal_exclude(const char *directory);

/* While paused, changes by this process are not the program's and are not recorded. Only for a
 * process with one thread. */
void agent_journal_pause(bool paused);

/* Call before a path is changed; relative to the directory `at` (or AT_FDCWD). `follow`: a symbolic
 * link means its target. Never fails: what cannot be kept is recorded as lost. Keeps errno. */
void agent_journal_note(int at, const char *path, bool follow);

/* Whether changes are recorded. */
bool agent_journal_is_open(void);

/* The number of calls that recorded a path or found it recorded. */
uint64_t agent_journal_noted(void);

/* The same for a path that has just been created. */
void agent_journal_note_made(int at, const char *path);

/* Call before a rename: records both paths and, for a directory, everything below it. */
void agent_journal_note_rename(int from_at, const char *from, int to_at, const char *to);

/* The key of an absolute path. */
void agent_journal_key(const char *path, char key[static AGENT_JOURNAL_KEY_SIZE]);

/* Stores the state of an absolute path (`absent`: as if it did not exist) under `key` in an open
 * directory. Returns 0, or -1 with errno. */
int agent_journal_capture(int directory, const char *key, const char *path, bool absent);

/* Returns 0, or -1 with errno: there is no such record, or it is damaged. */
int agent_journal_read(int directory, const char *key, struct agent_journal_state *ret_state);

/* Restores the path to the stored state. A file that is still the same keeps its inode. Parents
 * must exist; if the path was not a directory, everything below it must have been removed. Returns
 * 0, or -1 with errno. */
int agent_journal_apply(int directory, const char *key, const struct agent_journal_state *state);

/* Removes the file, link or empty directory at the path. Returns 0, also if there is nothing, or -1
 * with errno. */
int agent_journal_remove(const char *path);

/* Whether this very file is at a path, which may be another than its own. The inode number alone is
 * not enough: it is soon reused. False also if it cannot be decided. */
bool agent_journal_is_at(const struct agent_journal_state *state, const char *path);

/* Copies a file's contents from its beginning; shares them if the file system can. `most`: the
 * largest size that is copied otherwise. Returns 0, or -1 with errno; EFBIG: it is larger. */
int agent_journal_copy(int from, int to, uint64_t most);

#endif
