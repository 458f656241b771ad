#define _GNU_SOURCE
#include "file_calls.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "ckpt/agent_journal.h"
#include "shim/mpi/next.h"

/* Called by code that was compiled with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);

void file_calls_start(void)
{
	const char *journal = getenv("MATCHPOINT_JOURNAL");

	if (!journal || !*journal)
		return;
	agent_journal_open(journal, getenv("MATCHPOINT_DIRECTORY"));
	agent_journal_exclude(getenv("MATCHPOINT_OUTPUT"));
}

static uint64_t forgotten;

bool file_calls_seen(void)
{
	return !agent_journal_is_open() || agent_journal_noted() != forgotten;
}

void file_calls_forget(void)
{
	forgotten = agent_journal_noted();
}

/* --- opening ---------------------------------------------------------------------------------- */

static void note_open(int at, const char *path, int flags)
{
	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
		return;
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return; /* it has no name */
	agent_journal_note(at, path, !(flags & O_NOFOLLOW));
}

static void note_mode(const char *path, const char *mode)
{
	if (mode && (*mode == 'w' || *mode == 'a' || strchr(mode, '+')))
		agent_journal_note(AT_FDCWD, path, true);
}

#define MODE_OF(flags, mode)                               \
	do {                                               \
		va_list arguments_;                        \
		va_start(arguments_, flags);               \
		if ((flags) & (O_CREAT | __O_TMPFILE))     \
			mode = va_arg(arguments_, mode_t); \
		va_end(arguments_);                        \
	} while (0)

#define OPEN(function)                                          \
	EXPORTED int function(const char *path, int flags, ...) \
	{                                                       \
		mode_t mode = 0;                                \
		MODE_OF(flags, mode);                           \
		note_open(AT_FDCWD, path, flags);               \
		return NEXT(function)(path, flags, mode);       \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(function)                                                \
	EXPORTED int function(int at, const char *path, int flags, ...) \
	{                                                               \
		mode_t mode = 0;                                        \
		MODE_OF(flags, mode);                                   \
		note_open(at, path, flags);                             \
		return NEXT(function)(at, path, flags, mode);           \
	}
OPENAT(openat)
OPENAT(openat64)

#define OPEN_2(function)                                   \
	EXPORTED int function(const char *path, int flags) \
	{                                                  \
		note_open(AT_FDCWD, path, flags);          \
		return NEXT(function)(path, flags);        \
	}
OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(function)                                         \
	EXPORTED int function(int at, const char *path, int flags) \
	{                                                          \
		note_open(at, path, flags);                        \
		return NEXT(function)(at, path, flags);            \
	}
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#define CREAT(function)                                      \
	EXPORTED int function(const char *path, mode_t mode) \
	{                                                    \
		agent_journal_note(AT_FDCWD, path, true);    \
		return NEXT(function)(path, mode);           \
	}
CREAT(creat)
CREAT(creat64)

#define FOPEN(function)                                             \
	EXPORTED FILE *function(const char *path, const char *mode) \
	{                                                           \
		note_mode(path, mode);                              \
		return NEXT(function)(path, mode);                  \
	}
FOPEN(fopen)
FOPEN(fopen64)

#define FREOPEN(function)                                                       \
	EXPORTED FILE *function(const char *path, const char *mode, FILE *file) \
	{                                                                       \
		note_mode(path, mode);                                          \
		return NEXT(function)(path, mode, file);                        \
	}
FREOPEN(freopen)
FREOPEN(freopen64)

/* --- temporary files -------------------------------------------------------------------------- */

#define SHARED_PLACE "/dev/shm/"
#define SHARED_FILE "mpich_shar_tmpXXXXXX"
#define PATTERN "XXXXXX"

static void choose_letters(char *at)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) < 0)
		number = (uint64_t)getpid();
	for (size_t i = 0; i < strlen(PATTERN); i++, number /= strlen(letters))
		at[i] = letters[number % strlen(letters)];
}

/* MPICH creates files that its ranks share, and removes their names when all ranks have them open.
 * A process killed before that leaves such a file behind. So a link in the world's directory names
 * the file before it exists, and is removed with it (scheduler/host/run_directory.h). -1: mkstemp
 * must try. */
static int make_shared(char *path)
{
	static const char pattern[] = SHARED_PLACE SHARED_FILE;
	char name[sizeof(pattern)];
	int descriptor = -1;

	if (strcmp(path, pattern) != 0)
		return -1;
	for (int tries = 0; descriptor < 0 && tries < 100; tries++) {
		choose_letters(path + strlen(pattern) - strlen(PATTERN));
		snprintf(name, sizeof(name), "shared-%s", path + strlen(pattern) - strlen(PATTERN));
		if (NEXT(symlinkat)(path, AGENT_WORLD_FD, name) < 0)
			break;
		descriptor = NEXT(open)(path, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (descriptor < 0)
			NEXT(unlinkat)(AGENT_WORLD_FD, name, 0);
	}
	if (descriptor < 0)
		memcpy(path, pattern, sizeof(pattern));
	return descriptor;
}

#define MKSTEMP(function)                                        \
	EXPORTED int function(char *path)                        \
	{                                                        \
		int descriptor = make_shared(path);              \
		if (descriptor < 0)                              \
			descriptor = NEXT(function)(path);       \
		if (descriptor >= 0)                             \
			agent_journal_note_made(AT_FDCWD, path); \
		return descriptor;                               \
	}
MKSTEMP(mkstemp)
MKSTEMP(mkstemp64)

#define MKSTEMP_WITH(function)                                   \
	EXPORTED int function(char *path, int number)            \
	{                                                        \
		int descriptor = NEXT(function)(path, number);   \
		if (descriptor >= 0)                             \
			agent_journal_note_made(AT_FDCWD, path); \
		return descriptor;                               \
	}
MKSTEMP_WITH(mkostemp)
MKSTEMP_WITH(mkostemp64)
MKSTEMP_WITH(mkstemps)
MKSTEMP_WITH(mkstemps64)

#define MKOSTEMPS(function)                                           \
	EXPORTED int function(char *path, int length, int flags)      \
	{                                                             \
		int descriptor = NEXT(function)(path, length, flags); \
		if (descriptor >= 0)                                  \
			agent_journal_note_made(AT_FDCWD, path);      \
		return descriptor;                                    \
	}
MKOSTEMPS(mkostemps)
MKOSTEMPS(mkostemps64)

EXPORTED char *mkdtemp(char *path)
{
	char *made = NEXT(mkdtemp)(path);

	if (made)
		agent_journal_note_made(AT_FDCWD, made);
	return made;
}

/* --- names ------------------------------------------------------------------------------------ */

EXPORTED int rename(const char *from, const char *to)
{
	agent_journal_note_rename(AT_FDCWD, from, AT_FDCWD, to);
	return NEXT(rename)(from, to);
}

EXPORTED int renameat(int from_at, const char *from, int to_at, const char *to)
{
	agent_journal_note_rename(from_at, from, to_at, to);
	return NEXT(renameat)(from_at, from, to_at, to);
}

EXPORTED int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
	agent_journal_note_rename(from_at, from, to_at, to);
	if (flags & RENAME_EXCHANGE)
		agent_journal_note_rename(to_at, to, from_at, from);
	return NEXT(renameat2)(from_at, from, to_at, to, flags);
}

EXPORTED int unlink(const char *path)
{
	agent_journal_note(AT_FDCWD, path, false);
	return NEXT(unlink)(path);
}

EXPORTED int unlinkat(int at, const char *path, int flags)
{
	agent_journal_note(at, path, false);
	return NEXT(unlinkat)(at, path, flags);
}

EXPORTED int remove(const char *path)
{
	agent_journal_note(AT_FDCWD, path, false);
	return NEXT(remove)(path);
}

EXPORTED int rmdir(const char *path)
{
	agent_journal_note(AT_FDCWD, path, false);
	return NEXT(rmdir)(path);
}

EXPORTED int mkdir(const char *path, mode_t mode)
{
	agent_journal_note(AT_FDCWD, path, false);
	return NEXT(mkdir)(path, mode);
}

EXPORTED int mkdirat(int at, const char *path, mode_t mode)
{
	agent_journal_note(at, path, false);
	return NEXT(mkdirat)(at, path, mode);
}

EXPORTED int mkfifo(const char *path, mode_t mode)
{
	agent_journal_note(AT_FDCWD, path, false);
	return NEXT(mkfifo)(path, mode);
}

/* A file with two names can be changed through either. */
EXPORTED int link(const char *from, const char *to)
{
	agent_journal_note(AT_FDCWD, from, false);
	agent_journal_note(AT_FDCWD, to, false);
	return NEXT(link)(from, to);
}

EXPORTED int linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
	agent_journal_note(from_at, from, flags & AT_SYMLINK_FOLLOW);
	agent_journal_note(to_at, to, false);
	return NEXT(linkat)(from_at, from, to_at, to, flags);
}

EXPORTED int symlink(const char *target, const char *path)
{
	agent_journal_note(AT_FDCWD, path, false);
	return NEXT(symlink)(target, path);
}

EXPORTED int symlinkat(const char *target, int at, const char *path)
{
	agent_journal_note(at, path, false);
	return NEXT(symlinkat)(target, at, path);
}

/* --- contents and modes by name --------------------------------------------------------------- */

#define TRUNCATE(function, size_type)                           \
	EXPORTED int function(const char *path, size_type size) \
	{                                                       \
		agent_journal_note(AT_FDCWD, path, true);       \
		return NEXT(function)(path, size);              \
	}
TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

EXPORTED int chmod(const char *path, mode_t mode)
{
	agent_journal_note(AT_FDCWD, path, true);
	return NEXT(chmod)(path, mode);
}

EXPORTED int fchmodat(int at, const char *path, mode_t mode, int flags)
{
	agent_journal_note(at, path, !(flags & AT_SYMLINK_NOFOLLOW));
	return NEXT(fchmodat)(at, path, mode, flags);
}
