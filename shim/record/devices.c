#define _GNU_SOURCE
#include "devices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "files.h"
#include "inputs.h"
#include "outside.h"
#include "pipes.h"
#include "replay.h"
#include "shim/mpi/next.h"

#define SITE __builtin_return_address(0)

enum { FILES_MOST = 4096 };

/* By descriptor. */
static struct device {
	const void *site; /* NULL: it is no device */
	bool is_pipe;
} devices[FILES_MOST];

static struct device *find(int file)
{
	return file >= 0 && file < FILES_MOST && devices[file].site ? &devices[file] : NULL;
}

static bool begins(const char *path, const char *start)
{
	return strncmp(path, start, strlen(start)) == 0;
}

/* Links from /proc to files, and memory. */
static bool is_something_else(const char *path)
{
	static const char *const parts[] = {"/fd/", "/root/", "/cwd/",
	                                    "/mem", "/exe",   "/map_files/"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *found = strstr(path, parts[i]);

		if (found && (parts[i][strlen(parts[i]) - 1] == '/' || !found[strlen(parts[i])]))
			return true;
	}
	return false;
}

bool devices_has(const char *path)
{
	return begins(path, "/sys/") || (begins(path, "/proc/") && !is_something_else(path))
	       || strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0
	       || strcmp(path, "/dev/hwrng") == 0;
}

/* --- descriptors ------------------------------------------------------------------------------ */

void devices_mark(int file, const void *site)
{
	if (file >= 0 && file < FILES_MOST)
		devices[file] = (struct device){.site = site};
}

void devices_mark_pipe(int file, const void *site)
{
	devices_mark(file, site);
	if (find(file))
		devices[file].is_pipe = true;
}

bool devices_is_marked(int file)
{
	return find(file) != NULL;
}

bool devices_is_pipe(int file)
{
	return find(file) && devices[file].is_pipe;
}

void devices_forget(int file)
{
	if (find(file))
		devices[file] = (struct device){0};
}

void devices_forget_all(void)
{
	memset(devices, 0, sizeof(devices));
}

int devices_open(const void *site, const char *path, int flags)
{
	int file = -1, recorded;

	if (!inputs_enter(INPUTS_DEVICE, site))
		return NEXT(open)(path, flags);
	if (!log_replaying)
		file = NEXT(open)(path, flags);
	recorded = (int)inputs_result(file);
	if (recorded >= 0) {
		if (log_replaying)
			file = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null",
			                    O_RDONLY | (flags & O_CLOEXEC), 0);
		file = files_moved(file, recorded);
		devices_mark(file, site);
	}
	inputs_leave();
	return file;
}

EXPORTED int close(int file)
{
	devices_forget(file);
	return NEXT(close)(file);
}

static int copied(int from, int to)
{
	const struct device *device = find(from);

	if (to != from)
		devices_forget(to);
	if (device && to >= 0 && to < FILES_MOST && to != from)
		devices[to] = (struct device){.site = device->site, .is_pipe = device->is_pipe};
	return to;
}

EXPORTED int dup(int file)
{
	return copied(file, NEXT(dup)(file));
}

EXPORTED int dup2(int file, int other)
{
	return copied(file, NEXT(dup2)(file, other));
}

EXPORTED int dup3(int file, int other, int flags)
{
	return copied(file, NEXT(dup3)(file, other, flags));
}

/* --- reading ---------------------------------------------------------------------------------- */

/* `offset` -1: from where the file stands. */
static ssize_t from_system(int file, void *buffer, size_t size, off_t offset)
{
	return offset < 0 ? NEXT(read)(file, buffer, size)
	                  : NEXT(pread)(file, buffer, size, offset);
}

ssize_t devices_given(int file, ssize_t got, const struct iovec *parts, int count)
{
	size_t left;

	got = (ssize_t)inputs_result(got);
	left = got > 0 ? (size_t)got : 0;
	for (int i = 0; i < count && left > 0; i++) {
		const size_t size = left < parts[i].iov_len ? left : parts[i].iov_len;

		log_data(parts[i].iov_base, size);
		left -= size;
	}
	if (left > 0)
		replay_stop(REPLAY_DIFFERS,
		            "behind this call, %zu bytes fewer can be read than were recorded",
		            left);
	if (log_replaying && got > 0 && devices_is_pipe(file))
		pipes_skip(file, (size_t)got);
	inputs_leave();
	return got;
}

/* Another end of a pipe may be in a child process, or another thread of this one: it may last. */
static ssize_t from_log(const void *site, int file, void *buffer, size_t size, off_t offset)
{
	const struct iovec part = {buffer, size};
	struct outside_call call;
	ssize_t got = 0;

	if (outside_begin(&call, INPUTS_READ, site))
		OUTSIDE_RUN(call, got = from_system(file, buffer, size, offset));
	if (!outside_logs(&call))
		return call.is_refused ? from_system(file, buffer, size, offset) : got;
	return devices_given(file, got, &part, 1);
}

static ssize_t read_from(const void *site, int file, void *buffer, size_t size, off_t offset)
{
	return find(file) ? from_log(site, file, buffer, size, offset)
	                  : from_system(file, buffer, size, offset);
}

EXPORTED ssize_t read(int file, void *buffer, size_t size)
{
	return read_from(SITE, file, buffer, size, -1);
}

EXPORTED ssize_t pread(int file, void *buffer, size_t size, off_t offset)
{
	return read_from(SITE, file, buffer, size, offset);
}

EXPORTED ssize_t pread64(int file, void *buffer, size_t size, off64_t offset)
{
	return read_from(SITE, file, buffer, size, offset);
}

/* What read and pread are where the compiler knows the size of the buffer (-D_FORTIFY_SOURCE). */
ssize_t __read_chk(int file, void *buffer, size_t size, size_t room);
ssize_t __pread_chk(int file, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int file, void *buffer, size_t size, off64_t offset, size_t room);

EXPORTED ssize_t __read_chk(int file, void *buffer, size_t size, size_t room)
{
	return find(file) && size <= room ? from_log(SITE, file, buffer, size, -1)
	                                  : NEXT(__read_chk)(file, buffer, size, room);
}

EXPORTED ssize_t __pread_chk(int file, void *buffer, size_t size, off_t offset, size_t room)
{
	return find(file) && size <= room ? from_log(SITE, file, buffer, size, offset)
	                                  : NEXT(__pread_chk)(file, buffer, size, offset, room);
}

EXPORTED ssize_t __pread64_chk(int file, void *buffer, size_t size, off64_t offset, size_t room)
{
	return find(file) && size <= room ? from_log(SITE, file, buffer, size, offset)
	                                  : NEXT(__pread64_chk)(file, buffer, size, offset, room);
}

static off64_t seek_from(const void *site, int file, off64_t offset, int whence)
{
	off64_t place = 0;

	if (!find(file) || !inputs_enter(INPUTS_READ, site))
		return NEXT(lseek64)(file, offset, whence);
	if (!log_replaying)
		place = NEXT(lseek64)(file, offset, whence);
	place = inputs_result(place);
	inputs_leave();
	return place;
}

EXPORTED off_t lseek(int file, off_t offset, int whence)
{
	return seek_from(SITE, file, offset, whence);
}

EXPORTED off64_t lseek64(int file, off64_t offset, int whence)
{
	return seek_from(SITE, file, offset, whence);
}

/* --- streams ---------------------------------------------------------------------------------- */

/* The C library's own streams read without a call that can be replaced. A cookie is the descriptor.
 */
static ssize_t read_stream(void *cookie, char *buffer, size_t size)
{
	const int file = (int)(intptr_t)cookie;
	const struct device *device = find(file);

	return device ? from_log(device->site, file, buffer, size, -1) : -1;
}

static int seek_stream(void *cookie, off64_t *offset, int whence)
{
	const int file = (int)(intptr_t)cookie;
	const struct device *device = find(file);
	const off64_t place = device ? seek_from(device->site, file, *offset, whence) : -1;

	if (place >= 0)
		*offset = place;
	return place < 0 ? -1 : 0;
}

static ssize_t write_stream(void *cookie, const char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t written = pipes_write((int)(intptr_t)cookie, bytes + done,
		                                    size - done);

		if (written < 0)
			break;
		done += (size_t)written;
	}
	return (ssize_t)done;
}

static int close_stream(void *cookie)
{
	return close((int)(intptr_t)cookie);
}

static FILE *stream_on(int file, const char *mode)
{
	const cookie_io_functions_t functions = {.read = read_stream,
	                                         .write = write_stream,
	                                         .seek = seek_stream,
	                                         .close = close_stream};
	FILE *stream = fopencookie((void *)(intptr_t)file, mode, functions);

	if (stream)
		stream->_fileno =
			file; /* glibc's: fileno() returns it; the stream does not use it */
	return stream;
}

FILE *devices_stream(const void *site, const char *path, const char *mode)
{
	const int file = devices_open(site, path, strchr(mode, 'e') ? O_CLOEXEC : 0);
	FILE *stream = NULL;

	if (file >= 0 && !find(file)) /* another thread than the first: it is not in the log */
		return NEXT(fdopen)(file, mode);
	if (file >= 0)
		stream = stream_on(file, "r");
	if (file >= 0 && !stream)
		close(file);
	return stream;
}

EXPORTED FILE *fdopen(int file, const char *mode)
{
	return find(file) && record_inside == 0 ? stream_on(file, mode) : NEXT(fdopen)(file, mode);
}
