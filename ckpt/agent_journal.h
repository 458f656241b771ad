/* The journal of files: what stood at each path that a program changes by name, kept before it is
 * changed, so that the next interleaving finds everything as this one did. The rank's side, and
 * what both sides do with one path; which paths are put back when: journal.h. Libc only, no memory
 * from the program's heap.
 *
 * A journal is a directory:
 *
 *   owner     locked by the scheduler as long as it lives
 *   lock      held while a path is noted
 *   trouble   the first path that could not be noted, and a newline, in room that was taken before
 *   base/     what stood at each path before anything changed it, ever; the first to come notes it
 *   now/      an empty file for each path that has been noted since the files were put back
 *   s<N>/     what stood at such paths when a snapshot was taken
 *
 * A path is known by a hash of it. <key> tells what stands there, <key>.data holds the contents of
 * a file. */
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
#define AGENT_JOURNAL_FILE_MAX ((uint64_t)256 << 20) /* bytes; larger ones are not copied */
#define AGENT_JOURNAL_KEY_SIZE 33                    /* 32 hexadecimal digits and '\0' */

enum agent_journal_kind {
	AGENT_JOURNAL_ABSENT,
	AGENT_JOURNAL_FILE,
	AGENT_JOURNAL_DIRECTORY,
	AGENT_JOURNAL_LINK, /* symbolic; where it leads is its data */
	AGENT_JOURNAL_LOST, /* not kept; `reason` says why */
};

struct agent_journal_state {
	enum agent_journal_kind kind;
	mode_t mode;
	uint64_t size, device, inode;
	struct timespec modified, changed, captured;
	struct timespec born; /* of a file; 0: the file system does not tell */
	char reason[128];     /* a clause for the user */
	char path[PATH_MAX];
};

/* Names the journal, and a directory that is none of the program's business (NULL: none). Both must
 * be absolute. Until then, and after NULL, nothing is noted. */
void agent_journal_open(const char *directory, const char *excluded);

/* What this process does to files from now on is not the program's doing, and not noted; or it is
 * again. For when there is one thread alone. */
void agent_journal_pause(bool paused);

/* To be called before what stands at a path is changed; relative to the directory `at` (or
 * AT_FDCWD). `follow`: a symbolic link stands for what it leads to. Never fails: what cannot be
 * kept is noted as lost. errno is left alone. */
void agent_journal_note(int at, const char *path, bool follow);

/* Whether anything is noted. */
bool agent_journal_is_open(void);

/* How often anything was noted, or had been already. */
uint64_t agent_journal_noted(void);

/* The same for what has just been made at a path where nothing was. */
void agent_journal_note_made(int at, const char *path);

/* Before a rename: both paths and, of a directory, all that is below. */
void agent_journal_note_rename(int from_at, const char *from, int to_at, const char *to);

/* The key of an absolute path. */
void agent_journal_key(const char *path, char key[static AGENT_JOURNAL_KEY_SIZE]);

/* Keeps what stands at an absolute path (`absent`: as if nothing did) as `key` in an open
 * directory. 0, or -1 with errno. */
int agent_journal_capture(int directory, const char *key, const char *path, bool absent);

/* 0, or -1 with errno: there is none, or it is damaged. */
int agent_journal_read(int directory, const char *key, struct agent_journal_state *ret_state);

/* Makes the path what it was when it was kept; a file that is still the same keeps its inode. 0, or
 * -1 with errno. Parents must stand, and what is below a directory that was not there be gone. */
int agent_journal_apply(int directory, const char *key, const struct agent_journal_state *state);

/* Removes what stands at the path: a file, a link or an empty directory. 0, also when nothing is
 * there; or -1 with errno. */
int agent_journal_remove(const char *path);

/* Whether this very file stands at a path, which need not be its own. An inode's number alone says
 * nothing: it is soon given to another. False also when it cannot be told. */
bool agent_journal_is_at(const struct agent_journal_state *state, const char *path);

/* Copies a file's contents from its beginning, sharing them where the file system can. `most`: the
 * largest size that is copied otherwise. 0, or -1 with errno: EFBIG when it is larger. */
int agent_journal_copy(int from, int to, uint64_t most);

#endif
