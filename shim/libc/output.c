#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "shim/mpi/next.h"

/* What programs call that are compiled with _FORTIFY_SOURCE. */
int __dprintf_chk(int descriptor, int flag, const char *format, ...);
int __vdprintf_chk(int descriptor, int flag, const char *format, va_list values);

static struct stream {
	const char *name;
	_Atomic bool cut;
} streams[] = {
	[STDOUT_FILENO] = {"out", false},
	[STDERR_FILENO] = {"err", false},
};
static int own_rank = -1;

void output_start(int rank)
{
	own_rank = rank;
}

/* Returns false if the program has opened something else there. */
static bool mark(int descriptor)
{
	char name[32];
	struct stat file, open;
	int saved = errno;
	bool is_ours;

	snprintf(name, sizeof(name), "%s.%d", streams[descriptor].name, own_rank);
	is_ours = fstatat(AGENT_WORLD_FD, name, &file, 0) == 0 && fstat(descriptor, &open) == 0
	          && file.st_dev == open.st_dev && file.st_ino == open.st_ino;
	if (is_ours)
		fchmod(descriptor, S_IRUSR);
	errno = saved;
	return is_ours;
}

/* The C library writes for its streams past write(). */
void output_mark(void)
{
	if (own_rank < 0)
		return;
	streams[STDOUT_FILENO].cut |= ferror_unlocked(stdout) != 0;
	streams[STDERR_FILENO].cut |= ferror_unlocked(stderr) != 0;
	for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++)
		if (streams[descriptor].cut)
			mark(descriptor);
}

static void look_at(int descriptor, ssize_t written, size_t wanted)
{
	bool is_cut = written < 0 ? errno == ENOSPC || errno == EDQUOT : (size_t)written < wanted;

	if (own_rank < 0 || !is_cut || (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO))
		return;
	streams[descriptor].cut |= mark(descriptor);
}

EXPORTED ssize_t write(int descriptor, const void *bytes, size_t count)
{
	ssize_t written = NEXT(write)(descriptor, bytes, count);

	look_at(descriptor, written, count);
	return written;
}

EXPORTED ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
	ssize_t written = NEXT(writev)(descriptor, parts, count);
	size_t wanted = 0;

	for (int i = 0; written >= 0 && i < count; i++)
		wanted += parts[i].iov_len;
	look_at(descriptor, written, wanted);
	return written;
}

/* The C library's dprintf calls its own write, too. */
EXPORTED int vdprintf(int descriptor, const char *format, va_list values)
{
	int count = NEXT(vdprintf)(descriptor, format, values);

	look_at(descriptor, count, (size_t)count);
	return count;
}

EXPORTED int dprintf(int descriptor, const char *format, ...)
{
	va_list values;
	int count;

	va_start(values, format);
	count = vdprintf(descriptor, format, values);
	va_end(values);
	return count;
}

EXPORTED int __vdprintf_chk(int descriptor, int flag, const char *format, va_list values)
{
	int count = NEXT(__vdprintf_chk)(descriptor, flag, format, values);

	look_at(descriptor, count, (size_t)count);
	return count;
}

EXPORTED int __dprintf_chk(int descriptor, int flag, const char *format, ...)
{
	va_list values;
	int count;

	va_start(values, format);
	count = __vdprintf_chk(descriptor, flag, format, values);
	va_end(values);
	return count;
}
