/* Files that the program opens or changes by name. Those that it reads are noted, and compared at
 * replay. Those that it would write are copies of their own at replay. */
#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "devices.h"
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

/* `now`: what the file is, when it is opened. */
static void note_read(const char *path, struct facts now)
{
	struct facts was = now;

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
}

/* --- files that are written ------------------------------------------------------------------- */

/* The file's name in the scratch folder: one part. */
static bool scratch_name(const char *path, char name[SCRATCH_NAME])
{
	const char *rest = path;
	size_t used = 0;

	if (is_device(path))
		return false;
	while (*rest && used < NAME_MAX)
		name[used++] = *rest++ == '/' ? '+' : rest[-1];
	name[used] = '\0';
	return *rest == '\0';
}

/* The files that the program has written: names in the scratch folder. The same in both modes. */
static struct {
	char **names;
	size_t count, room;
} own;

static char **find_own(const char *name)
{
	for (size_t i = 0; i < own.count; i++)
		if (strcmp(own.names[i], name) == 0)
			return &own.names[i];
	return NULL;
}

/* Here and below, what is allocated is the recorder's: within inputs_enter. */
static void add_own(const char *name)
{
	if (find_own(name))
		return;
	if (own.count == own.room) {
		const size_t room = 2 * own.room + 16;
		char **more = realloc(own.names, room * sizeof(*more));

		if (!more)
			return;
		own.names = more;
		own.room = room;
	}
	own.names[own.count] = strdup(name);
	own.count += own.names[own.count] != NULL;
}

static void remove_own(const char *name)
{
	char **found = find_own(name);

	if (!found)
		return;
	free(*found);
	*found = own.names[--own.count];
}

static bool is_own(const char *path, char name[SCRATCH_NAME])
{
	return scratch_name(path, name) && find_own(name);
}

/* Bytes; -1: there is no such file. */
static int64_t size_of(const char *path)
{
	struct stat status;

	return syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0 ? status.st_size : -1;
}

/* What the file had when it was opened is copied, if the program does not begin it anew: the
 * recorded run may have written more behind that. */
static void copy_into(const char *path, const char *name, int64_t size)
{
	char bytes[65536];
	int from = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), to;
	ssize_t got;

	if (from < 0)
		return;
	to = (int)syscall(SYS_openat, scratch, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	while (to >= 0 && size > 0 && (got = read(from, bytes, sizeof(bytes))) > 0) {
		got = got < size ? got : (ssize_t)size;
		size -= got;
		if (write(to, bytes, (size_t)got) != got)
			break;
	}
	if (size > 0)
		replay_tell(REPLAY_REMARK, "%s is shorter than it was when it was opened", path);
	if (to >= 0)
		syscall(SYS_close, to);
	syscall(SYS_close, from);
}

/* Before the first write at replay: a file of an earlier replay is none of this one's. `size`: what
 * it had; -1: none, or it is begun anew. */
static void begin_own(const char *path, const char *name, int64_t size)
{
	if (!log_replaying || scratch < 0 || find_own(name))
		return;
	syscall(SYS_unlinkat, scratch, name, 0);
	if (size >= 0)
		copy_into(path, name, size);
}

/* --- opening ---------------------------------------------------------------------------------- */

struct opening {
	const char *path;
	char name[SCRATCH_NAME];
	bool writes, anew;
	bool is_known;  /* it is in the log: opening_end must follow */
	bool is_device; /* and opened as it is at replay, too */
	bool is_own;    /* the program has written it before */
	bool is_read;   /* others have written it: `read` */
	int64_t size;   /* before that; -1: none, or of no interest */
	struct facts read;
	int recorded; /* at replay: the descriptor */
};

static bool opening_enters(struct opening *opening, const void *site)
{
	opening->is_device = is_device(opening->path);
	if (opening->is_device)
		return inputs_enter(INPUTS_DEVICE, site);
	return opening->writes ? scratch_name(opening->path, opening->name)
	                                 && inputs_enter(INPUTS_WRITE, site)
	                       : inputs_enter(INPUTS_OPEN, site);
}

/* Whether the file is to be opened: at replay, not if that failed when it was recorded. */
static bool opening_begin(struct opening *opening, const void *site)
{
	opening->is_known = opening_enters(opening, site);
	if (!opening->is_known)
		return true;
	opening->is_own = is_own(opening->path, opening->name);
	opening->is_read = !opening->writes && !opening->is_own && !opening->is_device;
	if (opening->is_read)
		find_facts(opening->path, &opening->read);
	if (!log_replaying) {
		opening->size = opening->writes && !opening->anew ? size_of(opening->path) : -1;
		return true;
	}
	opening->recorded = (int)inputs_result(0);
	if (opening->recorded < 0)
		return false;
	if (opening->is_read) {
		note_read(opening->path, opening->read);
	} else if (opening->writes && !opening->is_device) {
		opening->size = log_signed(0);
		begin_own(opening->path, opening->name, opening->size);
	}
	return true;
}

int files_moved(int file, int recorded)
{
	int flags;

	if (file == recorded || syscall(SYS_fcntl, recorded, F_GETFD) >= 0)
		return file;
	flags = (int)syscall(SYS_fcntl, file, F_GETFD);
	if (flags < 0 || syscall(SYS_dup3, file, recorded, flags & FD_CLOEXEC ? O_CLOEXEC : 0) < 0)
		return file;
	syscall(SYS_close, file);
	return recorded;
}

/* Returns the descriptor that the program gets. Keeps errno. */
static int opening_end(const struct opening *opening, int file)
{
	const int number = errno;

	if (!opening->is_known)
		return file;
	if (log_replaying && file >= 0) {
		file = files_moved(file, opening->recorded);
	} else if (!log_replaying && inputs_result(file < 0 ? -1 : file) >= 0) {
		if (opening->is_read)
			note_read(opening->path, opening->read);
		else if (opening->writes && !opening->is_device)
			log_signed(opening->size);
	}
	if (file >= 0 && opening->writes && !opening->is_device)
		add_own(opening->name);
	inputs_leave();
	errno = number;
	return file;
}

/* Whether it lies in the scratch folder. */
static bool opening_is_in_scratch(struct opening *opening)
{
	const bool may_be = log_replaying && scratch >= 0;

	if (opening->is_known)
		return may_be && !opening->is_device && (opening->writes || opening->is_own);
	if (!may_be || !record_is_on || record_inside > 0)
		return false;
	/* Another thread than the first: its calls are not in the log. */
	if (is_own(opening->path, opening->name))
		return true;
	if (!opening->writes || !scratch_name(opening->path, opening->name))
		return false;
	begin_own(opening->path, opening->name, opening->anew ? -1 : size_of(opening->path));
	return true;
}

/* At replay another directory stands for one that is missing. */
static int directory_from(const void *site, int directory, const char *path, int flags)
{
	int file = -1, recorded;

	if (!inputs_enter(INPUTS_DIRECTORY, site))
		return NEXT(openat)(directory, path, flags);
	if (!log_replaying)
		file = NEXT(openat)(directory, path, flags);
	recorded = (int)inputs_result(file);
	if (recorded >= 0 && log_replaying) {
		file = NEXT(openat)(directory, path, flags);
		if (file < 0)
			file = NEXT(open)("/", flags & ~O_NOFOLLOW);
		file = files_moved(file, recorded);
	}
	inputs_leave();
	return file;
}

static int open_from(const void *site, const char *path, int flags, mode_t mode)
{
	struct opening opening = {
		.path = path, .writes = (flags & O_ACCMODE) != O_RDONLY, .anew = flags & O_TRUNC};
	int file = -1;

	if (memory_is_mpis(site))
		return NEXT(open)(path, flags, mode);
	if ((flags & O_DIRECTORY) && !opening.writes)
		return directory_from(site, AT_FDCWD, path, flags);
	if (!opening.writes && devices_has(path))
		return devices_open(site, path, flags);
	if (opening_begin(&opening, site))
		file = opening_is_in_scratch(&opening)
		               ? NEXT(openat)(scratch, opening.name, flags & ~O_EXCL, mode)
		               : NEXT(open)(path, flags, mode);
	return opening_end(&opening, file);
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

/* Whether the name says it without the directory. */
static bool is_whole(int directory, const char *path)
{
	return directory == AT_FDCWD || *path == '/';
}

static int openat_from(const void *site, int directory, const char *path, int flags, mode_t mode)
{
	if (is_whole(directory, path))
		return open_from(site, path, flags, mode);
	if ((flags & O_DIRECTORY) && (flags & O_ACCMODE) == O_RDONLY)
		return directory_from(site, directory, path, flags);
	return NEXT(openat)(directory, path, flags, mode);
}

#define OPENS_AT(name)                                                     \
	EXPORTED int name(int directory, const char *path, int flags, ...) \
	{                                                                  \
		va_list list;                                              \
		mode_t mode;                                               \
                                                                           \
		va_start(list, flags);                                     \
		mode = mode_of(flags, list);                               \
		va_end(list);                                              \
		return openat_from(SITE, directory, path, flags, mode);    \
	}

OPENS_AT(openat)
OPENS_AT(openat64)

/* What these are where the flags are no constants (-D_FORTIFY_SOURCE). */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);

EXPORTED int __open_2(const char *path, int flags)
{
	return open_from(SITE, path, flags, 0);
}

EXPORTED int __open64_2(const char *path, int flags)
{
	return open_from(SITE, path, flags, 0);
}

EXPORTED int __openat_2(int directory, const char *path, int flags)
{
	return openat_from(SITE, directory, path, flags, 0);
}

EXPORTED int __openat64_2(int directory, const char *path, int flags)
{
	return openat_from(SITE, directory, path, flags, 0);
}

EXPORTED int creat(const char *path, mode_t mode)
{
	return open_from(SITE, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

static FILE *stream_from(const void *site, const char *path, const char *mode)
{
	struct opening opening = {
		.path = path, .writes = strpbrk(mode, "wa+") != NULL, .anew = *mode == 'w'};
	char whole[64 + SCRATCH_NAME];
	FILE *file = NULL;
	int descriptor;

	if (memory_is_mpis(site))
		return NEXT(fopen)(path, mode);
	if (!opening.writes && devices_has(path))
		return devices_stream(site, path, mode);
	if (opening_begin(&opening, site)) {
		const bool is_apart = opening_is_in_scratch(&opening);
		const int inside = record_inside;

		snprintf(whole, sizeof(whole), "/proc/self/fd/%d/%s", scratch, opening.name);
		record_inside = 0; /* the stream's memory is the program's */
		file = NEXT(fopen)(is_apart ? whole : path, mode);
		record_inside = inside;
	}
	descriptor = opening_end(&opening, file ? NEXT(fileno)(file) : -1);
	if (file)
		file->_fileno = descriptor; /* glibc's */
	return file;
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
	return stream_from(SITE, path, mode);
}

EXPORTED FILE *fopen64(const char *path, const char *mode)
{
	return stream_from(SITE, path, mode);
}

/* --- temporary files -------------------------------------------------------------------------- */

/* The file's name is new each time: at replay it is the recorded one, in the scratch folder. */
static int temporary_from(const void *site, char *template, int suffix, int flags)
{
	char name[SCRATCH_NAME];
	int file = -1, recorded;

	if (!inputs_enter(INPUTS_TEMPORARY, site))
		return NEXT(mkostemps)(template, suffix, flags);
	if (!log_replaying)
		file = NEXT(mkostemps)(template, suffix, flags);
	recorded = (int)inputs_result(file);
	if (recorded >= 0) {
		log_data(template, strlen(template));
		if (log_replaying && scratch >= 0 && scratch_name(template, name)) {
			syscall(SYS_unlinkat, scratch, name, 0);
			file = NEXT(openat)(scratch, name, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
		}
		file = files_moved(file, recorded);
		if (file >= 0 && scratch_name(template, name))
			add_own(name);
	}
	inputs_leave();
	return file;
}

#define TEMPORARY(name, parameters, suffix, flags)                    \
	EXPORTED int name parameters                                  \
	{                                                             \
		return temporary_from(SITE, template, suffix, flags); \
	}

TEMPORARY(mkstemp, (char *template), 0, 0)
TEMPORARY(mkstemp64, (char *template), 0, 0)
TEMPORARY(mkostemp, (char *template, int flags), 0, flags)
TEMPORARY(mkostemp64, (char *template, int flags), 0, flags)
TEMPORARY(mkstemps, (char *template, int suffix), suffix, 0)
TEMPORARY(mkstemps64, (char *template, int suffix), suffix, 0)
TEMPORARY(mkostemps, (char *template, int suffix, int flags), suffix, flags)
TEMPORARY(mkostemps64, (char *template, int suffix, int flags), suffix, flags)

EXPORTED char *mkdtemp(char *template)
{
	bool is_made = false;

	if (!inputs_enter(INPUTS_TEMPORARY, SITE))
		return NEXT(mkdtemp)(template);
	if (!log_replaying)
		is_made = NEXT(mkdtemp)(template) != NULL;
	is_made = inputs_result(is_made ? 0 : -1) == 0;
	if (is_made)
		log_data(template, strlen(template));
	inputs_leave();
	return is_made ? template : NULL;
}

/* --- names ------------------------------------------------------------------------------------ */

static void forget(const char *path)
{
	char name[SCRATCH_NAME];

	if (!is_own(path, name))
		return;
	if (log_replaying && scratch >= 0)
		syscall(SYS_unlinkat, scratch, name, 0);
	remove_own(name);
}

static void move(const char *from, const char *to)
{
	char old[SCRATCH_NAME], new[SCRATCH_NAME];

	forget(to);
	if (!is_own(from, old) || !scratch_name(to, new))
		return;
	if (log_replaying && scratch >= 0)
		syscall(SYS_renameat2, scratch, old, scratch, new, 0);
	remove_own(old);
	add_own(new);
}

static void duplicate(const char *from, const char *to)
{
	char old[SCRATCH_NAME], new[SCRATCH_NAME];

	if (!is_own(from, old) || !scratch_name(to, new))
		return;
	if (log_replaying && scratch >= 0)
		syscall(SYS_linkat, scratch, old, scratch, new, 0);
	add_own(new);
}

static void cut(const char *path, off_t size)
{
	char name[SCRATCH_NAME], whole[64 + SCRATCH_NAME];

	if (!scratch_name(path, name))
		return;
	begin_own(path, name, size);
	add_own(name);
	if (!log_replaying || scratch < 0)
		return;
	snprintf(whole, sizeof(whole), "/proc/self/fd/%d/%s", scratch, name);
	syscall(SYS_truncate, whole, size);
}

/* A function that changes or asks for the name of a file. At replay, `effect` keeps the scratch
 * folder as the program expects it. */
#define NAMED(name, parameters, values, effect) \
	INPUTS_REPEAT(INPUTS_NAME, name, parameters, values, effect)

NAMED(remove, (const char *path), (path), forget(path))
NAMED(unlink, (const char *path), (path), forget(path))
NAMED(rename, (const char *from, const char *to), (from, to), move(from, to))
NAMED(link, (const char *from, const char *to), (from, to), duplicate(from, to))
NAMED(truncate, (const char *path, off_t size), (path, size), cut(path, size))
NAMED(symlink, (const char *to, const char *path), (to, path), (void)0)
NAMED(mkdir, (const char *path, mode_t mode), (path, mode), (void)0)
NAMED(rmdir, (const char *path), (path), (void)0)
NAMED(chmod, (const char *path, mode_t mode), (path, mode), (void)0)
NAMED(access, (const char *path, int mode), (path, mode), (void)0)

/* The same of a name in a directory. What is in the scratch folder has its whole name. */
NAMED(unlinkat, (int directory, const char *path, int flags), (directory, path, flags),
      is_whole(directory, path) ? forget(path) : (void)0)
NAMED(renameat, (int old, const char *from, int new, const char *to), (old, from, new, to),
      is_whole(old, from) && is_whole(new, to) ? move(from, to) : (void)0)
NAMED(renameat2, (int old, const char *from, int new, const char *to, unsigned flags),
      (old, from, new, to, flags),
      is_whole(old, from) && is_whole(new, to) ? move(from, to) : (void)0)
NAMED(linkat, (int old, const char *from, int new, const char *to, int flags),
      (old, from, new, to, flags),
      is_whole(old, from) && is_whole(new, to) ? duplicate(from, to) : (void)0)
NAMED(symlinkat, (const char *to, int directory, const char *path), (to, directory, path), (void)0)
NAMED(mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode), (void)0)
NAMED(fchmodat, (int directory, const char *path, mode_t mode, int flags),
      (directory, path, mode, flags), (void)0)
NAMED(faccessat, (int directory, const char *path, int mode, int flags),
      (directory, path, mode, flags), (void)0)
NAMED(utimensat, (int directory, const char *path, const struct timespec times[2], int flags),
      (directory, path, times, flags), (void)0)
NAMED(chown, (const char *path, uid_t owner, gid_t group), (path, owner, group), (void)0)
NAMED(euidaccess, (const char *path, int mode), (path, mode), (void)0)
NAMED(eaccess, (const char *path, int mode), (path, mode), (void)0)
NAMED(mkfifo, (const char *path, mode_t mode), (path, mode), (void)0)

/* A function that stores what it knows of a file. */
#define TELLS(name, type, parameters, values) \
	INPUTS_REPEAT(INPUTS_STATUS, name, parameters, values, log_data(status, sizeof(type)))

TELLS(stat, struct stat, (const char *restrict path, struct stat *restrict status), (path, status))
TELLS(lstat, struct stat, (const char *restrict path, struct stat *restrict status), (path, status))
TELLS(stat64, struct stat64, (const char *restrict path, struct stat64 *restrict status),
      (path, status))
TELLS(lstat64, struct stat64, (const char *restrict path, struct stat64 *restrict status),
      (path, status))
TELLS(fstat, struct stat, (int file, struct stat *status), (file, status))
TELLS(fstat64, struct stat64, (int file, struct stat64 *status), (file, status))
TELLS(fstatat, struct stat,
      (int directory, const char *restrict path, struct stat *restrict status, int flags),
      (directory, path, status, flags))
TELLS(fstatat64, struct stat64,
      (int directory, const char *restrict path, struct stat64 *restrict status, int flags),
      (directory, path, status, flags))
TELLS(statx, struct statx,
      (int directory, const char *restrict path, int flags, unsigned mask,
       struct statx *restrict status),
      (directory, path, flags, mask, status))
