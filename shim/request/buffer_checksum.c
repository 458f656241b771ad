#define _GNU_SOURCE /* process_vm_readv */
#include "buffer_checksum.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "request_internal.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "shim/process/mapped.h"

enum {
	/* of larger buffers, the following samples are compared */
	WHOLE_MAX = WIRE_COMPARED_MOST,
	EDGE = 1 << 10, /* at each end */
	SAMPLES = 6,    /* in between, evenly spaced */
	SAMPLE = 512,
	PARTS_AT_ONCE = 64,
};

static char scratch[WHOLE_MAX];

static uint64_t hash_bytes(const char *bytes, size_t count)
{
	uint64_t lanes[4] = {1, 2, 3, 4}, word, hash = count;

	if (count == sizeof(word)) { /* most pieces of a small message */
		memcpy(&word, bytes, sizeof(word));
		hash = (word ^ 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
		return hash ^ hash >> 32;
	}
	while (count >= sizeof(lanes)) {
		for (int i = 0; i < 4; i++) {
			memcpy(&word, bytes + 8 * i, sizeof(word));
			lanes[i] = (lanes[i] ^ word) * 0x9e3779b97f4a7c15u;
			lanes[i] ^= lanes[i] >> 29;
		}
		bytes += sizeof(lanes);
		count -= sizeof(lanes);
	}
	for (; count > 0; bytes++, count--)
		hash = (hash ^ (unsigned char)*bytes) * 0x100000001b3u;
	for (int i = 0; i < 4; i++) {
		hash = (hash ^ lanes[i]) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Containers can forbid process_vm_readv, from the start or later. Then nothing is known of any
 * buffer. */
static bool read_parts(const struct iovec *parts, size_t count, char *to, size_t bytes)
{
	struct iovec local = {to, bytes};
	pid_t self = (pid_t)syscall(SYS_getpid);
	int saved = errno;
	ssize_t got = process_vm_readv(self, &local, 1, parts, count, 0);
	bool whole = got == (ssize_t)bytes;

	errno = saved;
	return whole;
}

static bool can_read(void)
{
	static char known;
	const struct iovec part = {&known, 1};
	char copy;

	return read_parts(&part, 1, &copy, 1);
}

/* A range of the buffer's bytes, in the order of bytes.h. */
struct piece {
	uint64_t at, length;
};

/* Divides a buffer of that size into pieces. The first ones are small, because messages are often
 * shorter than their buffers. Large buffers are covered in part. */
static size_t divide(uint64_t bytes, struct piece *pieces)
{
	size_t count = 0;
	uint64_t at = 0, end = bytes > WHOLE_MAX ? EDGE : bytes;

	while (at < end) {
		uint64_t length = at < 128 ? 8 : at < 1024 ? 64 : 512;

		length = length < end - at ? length : end - at;
		pieces[count++] = (struct piece){at, length};
		at += length;
	}
	if (bytes <= WHOLE_MAX)
		return count;
	uint64_t step = (bytes - 2 * EDGE) / SAMPLES;
	for (size_t i = 0; i < SAMPLES; i++)
		pieces[count++] = (struct piece){EDGE + i * step + step / 2 - SAMPLE / 2, SAMPLE};
	pieces[count++] = (struct piece){bytes - EDGE, EDGE};
	return count;
}

/* Copies memory to `scratch`, piece after piece. */
struct fetch {
	struct iovec parts[PARTS_AT_ONCE];
	size_t count, waiting; /* parts still to be read, and their bytes */
	size_t total;          /* bytes in `scratch` */
	bool is_safe, failed;
};

static void fetch_waiting(struct fetch *fetch)
{
	if (fetch->count > 0
	    && !read_parts(fetch->parts, fetch->count, scratch + fetch->total, fetch->waiting))
		fetch->failed = true;
	fetch->total += fetch->waiting;
	fetch->count = fetch->waiting = 0;
}

static bool fetch_piece(void *user, uintptr_t address, size_t length)
{
	struct fetch *fetch = user;
	struct iovec *last = fetch->count > 0 ? &fetch->parts[fetch->count - 1] : NULL;

	if (fetch->is_safe || mapped_is_certain(address, length)) {
		fetch_waiting(fetch);
		memcpy(scratch + fetch->total, (const void *)address, length);
		fetch->total += length;
		return true;
	}
	if (last && (uintptr_t)last->iov_base + last->iov_len == address) {
		last->iov_len += length;
	} else {
		if (fetch->count == PARTS_AT_ONCE)
			fetch_waiting(fetch);
		fetch->parts[fetch->count++] = (struct iovec){(void *)address, length};
	}
	fetch->waiting += length;
	return !fetch->failed;
}

/* Hashes the pieces of the bytes with that role, at most the first `most` bytes. Returns their
 * number. 0: there are none, or the memory cannot be read. `is_safe`: the memory is known to be
 * mapped. Otherwise the program may have freed it, or its count may exceed the buffer. */
static size_t hash_pieces(const struct bytes *bytes, uint8_t role, bool is_safe, uint64_t most,
                          uint64_t *ret_hashes, struct piece *pieces)
{
	struct fetch fetch = {.is_safe = is_safe};
	uint64_t size = bytes ? bytes_size(bytes, role) : 0;
	size_t count = divide(size, pieces), kept = 0;
	uint64_t start = 0, end = 0; /* of pieces that follow each other */
	const char *at = scratch;

	for (; kept < count && pieces[kept].at < most; kept++) {
		if (pieces[kept].length > most - pieces[kept].at)
			pieces[kept].length = most - pieces[kept].at;
		if (pieces[kept].at != end) {
			bytes_locate(bytes, role, start, end - start, fetch_piece, &fetch);
			start = pieces[kept].at;
		}
		end = pieces[kept].at + pieces[kept].length;
	}
	bytes_locate(bytes, role, start, end - start, fetch_piece, &fetch);
	fetch_waiting(&fetch);
	if (fetch.failed)
		return 0;
	for (size_t i = 0; i < kept; at += pieces[i++].length)
		ret_hashes[i] = hash_bytes(at, pieces[i].length);
	return kept;
}

static bool hash_all(const struct bytes *bytes, uint8_t role, bool is_safe, uint64_t most,
                     uint64_t *ret_hash)
{
	struct piece pieces[GUARD_PIECES];
	uint64_t hashes[GUARD_PIECES];
	size_t count = hash_pieces(bytes, role, is_safe, most, hashes, pieces);

	*ret_hash = hash_bytes((const char *)hashes, count * sizeof(*hashes));
	return count > 0;
}

uint64_t buffer_checksum_now(const struct bytes *bytes, bool is_safe)
{
	uint64_t hash = 0;

	return hash_all(bytes, WIRE_PART_READ, is_safe, UINT64_MAX, &hash) ? hash | 1 : 0;
}

static struct wire_user user_of(const struct request *request)
{
	static const uint8_t kinds[] = {[REQUEST_SEND] = WIRE_USE_SEND,
	                                [REQUEST_RECEIVE] = WIRE_USE_RECEIVE,
	                                [REQUEST_COLLECTIVE] = WIRE_USE_COLLECTIVE};

	return (struct wire_user){.name = request->name, .kind = kinds[request->kind]};
}

void buffer_checksum_prepare(struct request *request)
{
	uint8_t role = request->kind == REQUEST_SEND ? WIRE_PART_READ : WIRE_PART_WRITTEN;

	if (!request->checksum.bytes)
		request->checksum.bytes = bytes_of(role, request->data, request->count,
		                                   request->type);
}

/* --- beginning -------------------------------------------------------------------------- */

static void keep_pieces(struct buffer_checksum *checksum)
{
	struct piece pieces[GUARD_PIECES];
	uint64_t hashes[GUARD_PIECES];
	size_t count = hash_pieces(checksum->bytes, WIRE_PART_WRITTEN, false, UINT64_MAX, hashes,
	                           pieces);

	checksum->pieces = count > 0 ? malloc(count * sizeof(*hashes)) : NULL;
	if (checksum->pieces)
		memcpy(checksum->pieces, hashes, count * sizeof(*hashes));
}

static bool is_watched(const struct buffer_checksum *checksum)
{
	return checksum->active && checksum->window.number == 0;
}

static void begin_guarding(struct request *request, struct bytes *bytes, bool is_safe)
{
	struct buffer_checksum *checksum = &request->checksum;
	const struct wire_user user = user_of(request);

	*checksum = (struct buffer_checksum){.bytes = bytes, .filled = UINT64_MAX};
	if (!bytes || bytes->count == 0)
		return;
	checksum->active = true;
	window_use_begin(&checksum->window, bytes);
	if (is_watched(checksum)) {
		hash_all(bytes, WIRE_PART_READ, is_safe, UINT64_MAX, &checksum->sent);
		keep_pieces(checksum);
	}
	checksum->use = overlap_begin(&user, bytes, request->kind == REQUEST_RECEIVE);
	gone_watch_begin(&checksum->gone, &user, bytes);
}

/* Ends the previous use. Returns the bytes of the request's arguments; the caller owns them. */
static struct bytes *clear_checksum(struct request *request)
{
	struct bytes *bytes = request->checksum.bytes;

	request->checksum.bytes = NULL;
	buffer_checksum_release(request);
	return bytes;
}

void buffer_checksum_begin(struct request *request)
{
	buffer_checksum_prepare(request);
	/* MPI has read what is sent, or is about to, so the memory is mapped. */
	begin_guarding(request, clear_checksum(request), request->kind == REQUEST_SEND);
}

void buffer_checksum_begin_collective(struct request *request, struct bytes *bytes)
{
	buffer_checksum_release(request);
	begin_guarding(request, bytes ? bytes_keep(bytes) : NULL, false);
}

bool buffer_checksum_wants_blocking(void)
{
	return overlap_is_any() || window_memory_is_any();
}

void buffer_checksum_blocking_send(const struct request *request)
{
	const struct wire_user user = user_of(request);
	struct bytes *bytes;

	if (request->local || !buffer_checksum_wants_blocking())
		return;
	bytes = bytes_of(WIRE_PART_READ, request->data, request->count, request->type);
	overlap_pass(&user, bytes);
	window_use_once(bytes, WIRE_PART_READ);
	bytes_release(bytes);
}

struct overlap_use *buffer_checksum_joined_send(const struct request *request)
{
	const struct wire_user user = user_of(request);
	struct bytes *bytes = request->local ? NULL
	                                     : bytes_of(WIRE_PART_READ, request->data,
	                                                request->count, request->type);
	struct overlap_use *use = bytes ? overlap_begin(&user, bytes, false) : NULL;

	window_use_once(bytes, WIRE_PART_READ);
	bytes_release(bytes);
	return use;
}

void buffer_checksum_blocking_collective(struct wire_name name, struct bytes *bytes)
{
	overlap_pass(&(struct wire_user){.name = name, .kind = WIRE_USE_COLLECTIVE}, bytes);
	window_use_once(bytes, WIRE_PART_READ);
}

void buffer_checksum_collective_over(const struct bytes *bytes)
{
	window_use_once(bytes, WIRE_PART_WRITTEN);
}

/* --- delivery --------------------------------------------------------------------------- */

/* The size of one element of a derived type, because whole elements are filled; otherwise 1. */
static int element_size(const struct request *request)
{
	MPI_Count size = 0;

	if (abi_is_basic(request->type)
	    || real_mpi()->Type_size_x(request->type, &size) != MPI_SUCCESS || size <= 0
	    || size > INT_MAX)
		return 1;
	return (int)size;
}

void buffer_checksum_settle(struct request *request)
{
	struct buffer_checksum *checksum = &request->checksum;
	uint64_t element = (uint64_t)element_size(request);
	struct bytes *filled;

	if (!checksum->use || request->unattended || !checksum->matched)
		return;
	filled = bytes_filled(checksum->bytes, checksum->size - checksum->size % element, element);
	if (filled)
		overlap_know(checksum->use, filled);
	bytes_release(filled);
}

void buffer_checksum_before_delivery(struct request *request)
{
	struct buffer_checksum *checksum = &request->checksum;
	struct piece pieces[GUARD_PIECES];
	uint64_t hashes[GUARD_PIECES];
	size_t count;

	if (!checksum->active || !checksum->pieces || request->unattended)
		return;
	count = hash_pieces(checksum->bytes, WIRE_PART_WRITTEN, false, UINT64_MAX, hashes, pieces);
	for (size_t i = 0; i < count; i++)
		if (hashes[i] != checksum->pieces[i])
			checksum->changed |= UINT64_C(1) << i;
	if (count == 0 && can_read())
		checksum->changed = UINT64_MAX; /* freed */
}

/* Whether the program has changed a piece that the message then filled. */
static bool was_changed(const struct buffer_checksum *checksum)
{
	struct piece pieces[GUARD_PIECES];
	size_t count = divide(bytes_size(checksum->bytes, WIRE_PART_WRITTEN), pieces);

	for (size_t i = 0; checksum->changed != 0 && i < count; i++)
		if (checksum->changed >> i & 1
		    && pieces[i].at + pieces[i].length <= checksum->filled)
			return true;
	return false;
}

static uint64_t received_bytes(const struct request *request)
{
	int bytes = 0;

	if (real_mpi()->Get_count(&request->status, MPI_BYTE, &bytes) != MPI_SUCCESS
	    || bytes == MPI_UNDEFINED || bytes < 0)
		return 0;
	return (uint64_t)(bytes - bytes % element_size(request));
}

/* Reports the bytes that the message has filled. A blocking receive uses them only for a moment. */
static void report_filled(struct request *request)
{
	const struct wire_user user = user_of(request);
	const struct buffer_checksum *checksum = &request->checksum;
	struct bytes *all, *filled;

	if (request->unattended || !buffer_checksum_wants_blocking())
		return;
	all = checksum->bytes
	              ? bytes_keep(checksum->bytes)
	              : bytes_of(WIRE_PART_WRITTEN, request->data, request->count, request->type);
	filled = all ? bytes_filled(all, received_bytes(request), (uint64_t)element_size(request))
	             : NULL;
	if (filled && checksum->use)
		overlap_know(checksum->use, filled);
	if (filled && !checksum->active) {
		overlap_pass(&user, filled);
		window_use_once(filled, WIRE_PART_WRITTEN);
	}
	bytes_release(filled);
	bytes_release(all);
}

void buffer_checksum_after_delivery(struct request *request)
{
	struct buffer_checksum *checksum = &request->checksum;

	if (request->kind == REQUEST_RECEIVE)
		report_filled(request);
	if (!is_watched(checksum) || request->unattended)
		return;
	if (request->kind == REQUEST_RECEIVE)
		checksum->filled = received_bytes(request);
	checksum->touched |= was_changed(checksum);
	checksum->delivered = hash_all(checksum->bytes, WIRE_PART_WRITTEN, false, checksum->filled,
	                               &checksum->received);
}

/* --- completion ------------------------------------------------------------------------- */

/* What has happened to the first `most` bytes with that role, whose hash was `before`. -1:
 * nothing. */
static int compare(const struct buffer_checksum *checksum, uint8_t role, uint64_t most,
                   uint64_t before)
{
	uint64_t hash = 0;

	if (bytes_size(checksum->bytes, role) == 0)
		return -1;
	if (hash_all(checksum->bytes, role, false, most, &hash))
		return hash != before ? WIRE_TOUCH_CHANGED : -1;
	return can_read() ? WIRE_TOUCH_UNMAPPED : -1;
}

static int find_touch(const struct buffer_checksum *checksum)
{
	int how = compare(checksum, WIRE_PART_READ, UINT64_MAX, checksum->sent);

	if (how < 0 && checksum->delivered)
		how = compare(checksum, WIRE_PART_WRITTEN, checksum->filled, checksum->received);
	return how < 0 && checksum->touched ? WIRE_TOUCH_CHANGED : how;
}

/* Keeps the bytes of the arguments, for a persistent request. */
static void end_guarding(struct buffer_checksum *checksum)
{
	if (checksum->cancelled)
		window_use_drop(&checksum->window, checksum->bytes);
	else
		window_use_end(&checksum->window,
		               checksum->use ? overlap_bytes(checksum->use) : NULL);
	overlap_end(checksum->use);
	checksum->use = NULL;
	gone_watch_end(&checksum->gone);
	free(checksum->pieces);
	checksum->pieces = NULL;
	checksum->active = false;
}

void buffer_checksum_release(struct request *request)
{
	end_guarding(&request->checksum);
	bytes_release(request->checksum.bytes);
	request->checksum.bytes = NULL;
}

void buffer_checksum_cancelled(struct request *request)
{
	request->checksum.cancelled = true;
}

static void report_touch(const struct request *request, uint8_t kind, int how)
{
	const struct wire_message message = {
		.type = WIRE_TOUCHED,
		.touched = {.name = request->name,
	                    .noticed = gate_current_call(),
	                    .kind = kind,
	                    .how = (uint8_t)how},
	};

	gate_send(&message);
}

void buffer_checksum_end(struct request *request)
{
	struct buffer_checksum *checksum = &request->checksum;
	int how = -1;

	if (request->actions && request->actions->touched
	    && request->actions->touched(request->closure) && request->name.call != 0)
		report_touch(request, WIRE_USE_SEND, WIRE_TOUCH_CHANGED);
	if (!checksum->active)
		return;
	/* If two operations overlap, the change may be theirs. If the memory of the
	 * buffer is gone, that has been reported. */
	if (is_watched(checksum) && !(checksum->use && overlap_found(checksum->use))
	    && !checksum->gone.found)
		how = find_touch(checksum);
	end_guarding(checksum);
	if (how >= 0)
		report_touch(request, user_of(request).kind, how);
}
