/* Preloaded into matchpoint: simulates a full disk for its store, and for logs of recordings, at
 * the FULL_DISK_AT-th write of a process, for this write only, or from then on if FULL_DISK_STAYS
 * is set. The number of writes is written to FULL_DISK_COUNT. Other files are not affected. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long writes;

static int is_store(int fd)
{
	char link[64], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return 0;
	path[length] = '\0';
	return strstr(path, "/matchpoint.db")
	       || (strstr(path, "/recording/rank.") && strcmp(path + length - 4, ".log") == 0);
}

static int is_full(int fd)
{
	static long at = -1;
	int full;

	if (!is_store(fd))
		return 0;
	if (at < 0)
		at = getenv("FULL_DISK_AT") ? atol(getenv("FULL_DISK_AT")) : 0;
	writes++;
	full = at > 0 && (getenv("FULL_DISK_STAYS") ? writes >= at : writes == at);
	if (full)
		errno = ENOSPC;
	return full;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
	static ssize_t (*real)(int, const void *, size_t);

	if (!real)
		real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	return is_full(fd) ? -1 : real(fd, bytes, count);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	static ssize_t (*real)(int, const struct iovec *, int);

	if (!real)
		real = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
	return is_full(fd) ? -1 : real(fd, parts, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
	static ssize_t (*real)(int, const void *, size_t, off64_t);

	if (!real)
		real = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
	return is_full(fd) ? -1 : real(fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
	return pwrite64(fd, bytes, count, offset);
}

__attribute__((destructor)) static void tell(void)
{
	const char *name = getenv("FULL_DISK_COUNT");
	FILE *file = name && writes > 0 ? fopen(name, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%ld\n", writes);
	fclose(file);
}
