/* Streams of popen. The program gets a stream of its own kind, because the C library's own reads
 * cannot be seen: what the command has printed is in the log, what the program writes is
 * compared. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "children.h"
#include "devices.h"
#include "files.h"
#include "replay.h"
#include "shim/mpi/next.h"

struct stream {
	FILE *real; /* replaying: NULL */
	int file;   /* its descriptor; replaying: of /dev/null, with the same number */
	const void *site;
};

/* Nothing more than fits. */
static ssize_t read_stream(void *cookie, char *buffer, size_t size)
{
	const struct stream *stream = cookie;
	const struct iovec part = {buffer, size};
	struct outside_call call;
	ssize_t got = -1;

	if (outside_begin(&call, INPUTS_STREAM, stream->site))
		OUTSIDE_RUN(call, got = read(stream->file, buffer, size));
	if (outside_logs(&call))
		return devices_given(stream->file, got, &part, 1);
	outside_fails(&call, EIO);
	return got;
}

static size_t write_whole(int file, const char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t written = write(file, bytes + done, size - done);

		if (written < 0)
			break;
		done += (size_t)written;
	}
	return done;
}

/* As what is sent (call.c): the replay goes on. */
static void tell_changed(void)
{
	static bool is_told;

	if (!is_told)
		replay_tell_call(
			REPLAY_VALUES,
			"what is written to a command behind this call is not what it was");
	is_told = true;
}

static ssize_t write_stream(void *cookie, const char *bytes, size_t size)
{
	const struct stream *stream = cookie;
	struct outside_call call;
	int64_t done = (int64_t)size;
	int number = 0;

	if (outside_begin(&call, INPUTS_STREAM, stream->site)) {
		OUTSIDE_RUN(call, done = (int64_t)write_whole(stream->file, bytes, size));
		number = errno;
	}
	if (outside_logs(&call)) {
		const uint64_t hash = recording_hash(bytes, size);

		if (log_number(hash) != hash)
			tell_changed();
		done = log_signed(done);
		number = (int)log_signed(number);
		inputs_leave();
	}
	if (done < (int64_t)size)
		errno = number;
	return (ssize_t)done;
}

static int seek_stream(void *cookie, off64_t *offset, int from)
{
	(void)cookie;
	(void)offset;
	(void)from;
	errno = ESPIPE;
	return -1;
}

/* pclose and fclose come here, and return what this returns. */
static int close_stream(void *cookie)
{
	struct stream *stream = cookie;
	struct outside_call call;
	int64_t status = 0;

	devices_forget(stream->file);
	if (outside_begin(&call, INPUTS_PCLOSE, stream->site))
		OUTSIDE_RUN(call, status = NEXT(pclose)(stream->real));
	else
		syscall(SYS_close, stream->file);
	status = outside_result(&call, status, ECHILD);
	free(stream); /* the heap knows whose it is */
	return (int)status;
}

/* A descriptor of nothing. It has this number, if that is free. */
static int open_nothing(int number)
{
	const int flags = O_RDWR | O_CLOEXEC;

	return files_moved((int)syscall(SYS_openat, AT_FDCWD, "/dev/null", flags, 0), number);
}

/* Within outside_logs. NULL: errno. */
static FILE *make_stream(const struct stream *values, const char *mode)
{
	const cookie_io_functions_t functions = {
		.read = read_stream,
		.write = write_stream,
		.seek = seek_stream,
		.close = close_stream,
	};
	struct stream *stream = malloc(sizeof(*stream));
	const int inside = record_inside;
	FILE *made;

	if (!stream)
		return NULL;
	*stream = *values;
	record_inside = 0; /* the stream's memory is the program's */
	made = fopencookie(stream, *mode == 'r' ? "r" : "w", functions);
	record_inside = inside;
	if (!made) {
		free(stream);
		return NULL;
	}
	made->_fileno = stream->file; /* fileno() returns it; the stream does not use it */
	devices_mark(stream->file, stream->site);
	return made;
}

EXPORTED FILE *popen(const char *command, const char *mode)
{
	const void *site = __builtin_return_address(0);
	struct stream values = {.site = site};
	struct outside_call call;
	FILE *made = NULL;
	int number;

	if (outside_begin(&call, INPUTS_POPEN, site))
		OUTSIDE_RUN(call, values.real = NEXT(popen)(command, mode));
	if (!outside_logs(&call)) {
		outside_fails(&call, EAGAIN);
		return values.real;
	}
	values.file = (int)inputs_result(values.real ? fileno(values.real) : -1);
	number = errno;
	children_compare(&call, command);
	if (values.file >= 0) {
		if (log_replaying)
			values.file = open_nothing(values.file);
		made = make_stream(&values, mode);
		number = errno;
	}
	inputs_leave();
	errno = number;
	return made;
}

/* A stream that is not recorded has a descriptor, and that a child process. */
EXPORTED int pclose(FILE *file)
{
	return fclose(file);
}
