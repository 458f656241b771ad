/* Files that the program opens by name. Those that it reads are noted, and compared at replay.
 * Those that it would write are copies of their own at replay. */
#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "inputs.h"
#include "memory.h"
#include "replay.h"
#include "shim/mpi/next.h"

#define SITE __builtin_return_address(0)
/* A larger file is compared by its size and its time. */
#define HASHED_MOST ((int64_t)16 << 20)
enum { SCRATCH_NAME = 4096 };

static int scratch = -1; /* the folder */

void files_start(int folder)
{
	scratch = folder;
}

static bool is_device(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0
	       || strncmp(path, "/sys/", 5) == 0;
}

/* --- files that are read ---------------------------------------------------------------------- */

struct facts {
	int64_t size, seconds, nanoseconds;
	uint64_t hash;
};

static bool find_facts(const char *path, struct facts *ret)
{
	struct stat status;
	char bytes[4096];
	int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	bool found = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
	ssize_t got;

	*ret = (struct facts){.size = -1};
	if (found) {
		*ret = (struct facts){status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
		                      0};
		while (ret->size <= HASHED_MOST && (got = read(file, bytes, sizeof(bytes))) > 0)
			ret->hash = recording_hash_more(ret->hash, bytes, (size_t)got);
	}
	if (file >= 0)
		syscall(SYS_close, file);
	return found;
}

static void note_read(const char *path, const void *site)
{
	struct facts now, was;

	if (is_device(path) || !inputs_enter(INPUTS_OPEN, site))
		return;
	find_facts(path, &now);
	was = now;
	was.size = log_signed(now.size);
	log_raw(&was.seconds, sizeof(was.seconds));
	log_raw(&was.nanoseconds, sizeof(was.nanoseconds));
	log_raw(&was.hash, sizeof(was.hash));
	if (was.size < 0 && now.size >= 0)
		replay_tell(REPLAY_REMARK, "%s was no file then, and is one now", path);
	else if (was.size >= 0 && now.size < 0)
		replay_tell(REPLAY_REMARK, "%s was read then, and is missing now", path);
	else if (was.size != now.size || was.hash != now.hash)
		replay_tell(REPLAY_REMARK, "%s has other contents than it had when it was read",
		            path);
	else if (now.size > HASHED_MOST
	         && (was.seconds != now.seconds || was.nanoseconds != now.nanoseconds))
		replay_tell(REPLAY_REMARK, "%s was changed since it was read", path);
	inputs_leave();
}

/* --- files that are written ------------------------------------------------------------------- */

/* The file's name in the scratch folder: one part. */
static bool scratch_name(const char *path, char name[SCRATCH_NAME])
{
	const char *rest = path;
	size_t used = 0;

	if (scratch < 0 || is_device(path))
		return false;
	while (*rest && used < NAME_MAX)
		name[used++] = *rest++ == '/' ? '+' : rest[-1];
	name[used] = '\0';
	return *rest == '\0';
}

/* What the file has now is copied, if the program does not begin it anew. */
static void copy_into(const char *path, const char *name)
{
	char bytes[65536];
	int from = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), to;
	ssize_t got;

	if (from < 0)
		return;
	to = (int)syscall(SYS_openat, scratch, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	while (to >= 0 && (got = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)got) != got)
			break;
	if (to >= 0)
		syscall(SYS_close, to);
	syscall(SYS_close, from);
}

/* Whether the program has the file in the scratch folder: it writes it, or has written it. */
static bool is_in_scratch(const char *path, bool writes, bool anew, char name[SCRATCH_NAME])
{
	if (!record_is_on || !log_replaying || record_inside > 0 || !scratch_name(path, name))
		return false;
	if (writes && !anew)
		copy_into(path, name);
	return writes || faccessat(scratch, name, F_OK, 0) == 0;
}

/* --- the C library's functions ---------------------------------------------------------------- */

static int open_from(const void *site, const char *path, int flags, mode_t mode)
{
	const bool writes = (flags & O_ACCMODE) != O_RDONLY;
	char name[SCRATCH_NAME];

	if (memory_is_mpis(site) || (flags & O_DIRECTORY))
		return NEXT(open)(path, flags, mode);
	if (is_in_scratch(path, writes, flags & O_TRUNC, name))
		return openat(scratch, name, flags, mode);
	if (!writes)
		note_read(path, site);
	return NEXT(open)(path, flags, mode);
}

static mode_t mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPENS(name)                                         \
	EXPORTED int name(const char *path, int flags, ...) \
	{                                                   \
		va_list list;                               \
		mode_t mode;                                \
                                                            \
		va_start(list, flags);                      \
		mode = mode_of(flags, list);                \
		va_end(list);                               \
		return open_from(SITE, path, flags, mode);  \
	}

OPENS(open)
OPENS(open64)

EXPORTED int creat(const char *path, mode_t mode)
{
	return open_from(SITE, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

static FILE *stream_from(const void *site, const char *path, const char *mode)
{
	const bool writes = strpbrk(mode, "wa+") != NULL;
	char name[SCRATCH_NAME], whole[64 + SCRATCH_NAME];

	if (memory_is_mpis(site))
		return NEXT(fopen)(path, mode);
	if (is_in_scratch(path, writes, *mode == 'w', name)) {
		snprintf(whole, sizeof(whole), "/proc/self/fd/%d/%s", scratch, name);
		return NEXT(fopen)(whole, mode);
	}
	if (!writes)
		note_read(path, site);
	return NEXT(fopen)(path, mode);
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
	return stream_from(SITE, path, mode);
}

EXPORTED FILE *fopen64(const char *path, const char *mode)
{
	return stream_from(SITE, path, mode);
}
