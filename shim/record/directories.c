/* The names in directories. Which there are, and their order, may be others at replay. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "call.h"
#include "inputs.h"
#include "replay.h"
#include "shim/mpi/next.h"

#define SITE __builtin_return_address(0)

/* Declared in a header that may not be included here. */
size_t malloc_usable_size(void *block);

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "");

/* At replay there is a stream, too, if there was one: its memory is the program's. It stands for
 * the recorded one, whatever it can read. */
EXPORTED DIR *opendir(const char *path)
{
	DIR *stream = NULL;
	int inside;

	if (!inputs_enter(INPUTS_DIRECTORY, SITE))
		return NEXT(opendir)(path);
	inside = record_inside;
	record_inside = 0;
	if (!log_replaying)
		stream = NEXT(opendir)(path);
	record_inside = inside;
	if (inputs_result(stream ? 0 : -1) == 0 && log_replaying) {
		record_inside = 0;
		stream = NEXT(opendir)(path);
		if (!stream)
			stream = NEXT(opendir)("/");
		record_inside = inside;
	}
	inputs_leave();
	return stream;
}

/* Where the entry was in the stream's memory, it is at replay. */
static struct dirent *place(DIR *stream, uint64_t offset, size_t size)
{
	static _Alignas(struct dirent) char elsewhere[UINT16_MAX];

	return offset + size <= malloc_usable_size(stream)
	               ? (struct dirent *)((char *)stream + offset)
	               : (struct dirent *)elsewhere;
}

static struct dirent *next_entry(const void *site, DIR *stream)
{
	struct dirent *entry = NULL;
	uint64_t size, offset;

	if (!inputs_enter(INPUTS_DIRECTORY, site))
		return NEXT(readdir)(stream);
	if (!log_replaying)
		entry = NEXT(readdir)(stream);
	size = log_number(entry ? entry->d_reclen : 0);
	if (size > UINT16_MAX)
		replay_stop(REPLAY_CANNOT, "the log has no entry of a directory here");
	if (size > 0) {
		offset = log_number((uint64_t)((uintptr_t)entry - (uintptr_t)stream));
		if (log_replaying)
			entry = place(stream, offset, size);
		log_data(entry, size);
	}
	inputs_leave();
	return entry;
}

EXPORTED struct dirent *readdir(DIR *stream)
{
	return next_entry(SITE, stream);
}

EXPORTED struct dirent64 *readdir64(DIR *stream)
{
	return (struct dirent64 *)next_entry(SITE, stream);
}
