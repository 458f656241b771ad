/* Preloaded into matchpoint and its ranks: a folder /.full-N. (the draft of the checkpoint full-N)
 * has no room for the N-th thing that a process puts there: a folder, a file, bytes, a name. From
 * 1,000 on: for the N - 999th from its manifest on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

static int is_full(const char *path)
{
	static long in, count;
	const char *mark = strstr(path, "/.full-");
	long at = mark ? atol(mark + strlen("/.full-")) : 0;

	if (at == 0)
		return 0;
	if (at != in)
		count = at >= 1000 ? -1 : 0;
	in = at;
	if (at >= 1000 && count < 0 && strstr(path, "/manifest"))
		count = 999;
	if (count < 0)
		return 0;
	count++;
	if (count != at)
		return 0;
	errno = ENOSPC;
	return 1;
}

static int is_full_at(int fd)
{
	char link[64], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return 0;
	path[length] = '\0';
	return is_full(path);
}

static int is_full_below(int directory, const char *path)
{
	return *path == '/' || directory == AT_FDCWD ? is_full(path) : is_full_at(directory);
}

int mkdir(const char *path, mode_t mode)
{
	return is_full(path) ? -1 : REAL(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

static int open_as(int directory, const char *path, int flags, va_list rest)
{
	mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;

	if (flags & O_CREAT && is_full_below(directory, path))
		return -1;
	return REAL(int (*)(int, const char *, int, mode_t), "openat64")(directory, path, flags,
	                                                                 mode);
}

#define OPEN(name)                                         \
	int name(const char *path, int flags, ...)         \
	{                                                  \
		va_list rest;                              \
		int fd;                                    \
                                                           \
		va_start(rest, flags);                     \
		fd = open_as(AT_FDCWD, path, flags, rest); \
		va_end(rest);                              \
		return fd;                                 \
	}

#define OPENAT(name)                                              \
	int name(int directory, const char *path, int flags, ...) \
	{                                                         \
		va_list rest;                                     \
		int fd;                                           \
                                                                  \
		va_start(rest, flags);                            \
		fd = open_as(directory, path, flags, rest);       \
		va_end(rest);                                     \
		return fd;                                        \
	}

OPEN(open)
OPEN(open64)
OPENAT(openat)

ssize_t write(int fd, const void *bytes, size_t count)
{
	return is_full_at(fd)
	               ? -1
	               : REAL(ssize_t(*)(int, const void *, size_t), "write")(fd, bytes, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
	return is_full_at(fd) ? -1
	                      : REAL(ssize_t(*)(int, const void *, size_t, off64_t),
	                             "pwrite64")(fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
	return pwrite64(fd, bytes, count, offset);
}

int fsync(int fd)
{
	return is_full_at(fd) ? -1 : REAL(int (*)(int), "fsync")(fd);
}

int rename(const char *old, const char *new)
{
	return is_full(old) ? -1 : REAL(int (*)(const char *, const char *), "rename")(old, new);
}
