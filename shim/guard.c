#define _GNU_SOURCE /* process_vm_readv */
#include "guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gate.h"
#include "packing.h"
#include "real.h"
#include "request.h"

enum {
	WHOLE_MAX = 16 << 10, /* bytes; beyond, these samples are compared */
	EDGE = 1 << 10,       /* at both ends */
	SAMPLES = 6,          /* in between, evenly */
	SAMPLE = 512,
	PACKED_MAX = 64 << 10,
	WRITES = 4096, /* remembered; a power of two */
};

/* A part of memory, from `low` to below `high`. */
struct region {
	uintptr_t low, high;
};

/* Where MPI has written messages lately, those without gaps: a ring. */
static struct {
	struct region region;
	struct wire_name name; /* of the receive */
} writes[WRITES];
static uint64_t write_count;

static char scratch[PACKED_MAX];

static uint64_t hash_bytes(const char *bytes, size_t count)
{
	uint64_t lanes[4] = { 1, 2, 3, 4 }, word, hash = count;

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

/* Reads memory of this process. false: it is not (all) there. */
static bool read_parts(const struct iovec *parts, size_t count, size_t bytes)
{
	struct iovec to = { scratch, sizeof(scratch) };
	pid_t self = (pid_t)syscall(SYS_getpid);
	int saved = errno;
	ssize_t got = process_vm_readv(self, &to, 1, parts, count, 0);
	bool whole = got == (ssize_t)bytes;

	errno = saved;
	return whole;
}

/* Containers can forbid the call, then or from now on: nothing is known of any buffer. */
static bool can_read(void)
{
	static char known;
	const struct iovec part = { &known, 1 };

	return read_parts(&part, 1, 1);
}

static bool is_there(uintptr_t address)
{
	const struct iovec part = { (void *)address, 1 };

	return read_parts(&part, 1, 1);
}

/* Bytes of a message. */
struct piece {
	size_t at, length;
};

/* Into pieces, small ones first as messages are often shorter than their buffers; large buffers in
 * part only. */
static size_t divide(size_t bytes, struct piece *pieces)
{
	size_t count = 0, at = 0, end = bytes > WHOLE_MAX ? EDGE : bytes;

	while (at < end) {
		size_t length = at < 128 ? 8 : at < 1024 ? 64 : 512;

		length = length < end - at ? length : end - at;
		pieces[count++] = (struct piece){ at, length };
		at += length;
	}
	if (bytes <= WHOLE_MAX)
		return count;
	size_t step = (bytes - 2 * EDGE) / SAMPLES;
	for (size_t i = 0; i < SAMPLES; i++)
		pieces[count++] = (struct piece){ EDGE + i * step + step / 2 - SAMPLE / 2, SAMPLE };
	pieces[count++] = (struct piece){ bytes - EDGE, EDGE };
	return count;
}

/* The pieces as far as the first `bytes` go. */
static size_t cut(struct piece *pieces, size_t count, size_t bytes)
{
	size_t kept = 0;

	for (; kept < count && pieces[kept].at < bytes; kept++)
		if (pieces[kept].length > bytes - pieces[kept].at)
			pieces[kept].length = bytes - pieces[kept].at;
	return kept;
}

/* Puts them into `scratch`, one after another. `is_safe`: the memory is there; else the program may
 * have given it back, or never have had as much as its count says. */
static bool fetch(uintptr_t low, const struct piece *pieces, size_t count, bool is_safe)
{
	struct iovec parts[GUARD_PIECES];
	size_t part_count = 0, total = 0;

	for (size_t i = 0; i < count; i++) {
		char *from = (char *)(low + pieces[i].at);
		struct iovec *last = part_count > 0 ? &parts[part_count - 1] : NULL;

		if (is_safe)
			memcpy(scratch + total, from, pieces[i].length);
		if (last && (char *)last->iov_base + last->iov_len == from)
			last->iov_len += pieces[i].length;
		else
			parts[part_count++] = (struct iovec){ from, pieces[i].length };
		total += pieces[i].length;
	}
	return is_safe || read_parts(parts, part_count, total);
}

/* From the first to the last byte of the buffer; false: it is empty. *ret_dense: without gaps. */
static bool region_of(const struct request *request, struct region *ret, bool *ret_dense)
{
	MPI_Count size = 0, low = 0, extent = 0, true_low = 0, true_extent = 0;
	uintptr_t data = (uintptr_t)request->data;

	if (request->count <= 0
	    || real_mpi()->Type_size_x(request->type, &size) != MPI_SUCCESS || size <= 0)
		return false;
	if (((uint32_t)request->type & 0xffff0000u) == 0x4c000000u) {
		*ret = (struct region){ data, data + (uintptr_t)size * (uintptr_t)request->count };
		*ret_dense = true;
		return true;
	}
	if (real_mpi()->Type_get_extent_x(request->type, &low, &extent) != MPI_SUCCESS
	    || real_mpi()->Type_get_true_extent_x(request->type, &true_low, &true_extent)
	               != MPI_SUCCESS)
		return false;
	MPI_Count last = extent * (request->count - 1);
	*ret = (struct region){
		data + (uintptr_t)(true_low + (last < 0 ? last : 0)),
		data + (uintptr_t)(true_low + true_extent + (last > 0 ? last : 0)),
	};
	*ret_dense = size == true_extent && (extent == size || request->count == 1);
	return true;
}

/* Packs the elements, as many as fit, into `scratch`; their bytes, 0: that cannot be. */
static size_t pack_elements(const struct request *request, struct region region)
{
	MPI_Count size = 0;
	int count = request->count, packed = 0;

	real_mpi()->Type_size_x(request->type, &size);
	if (size > PACKED_MAX / 2)
		return 0;
	if (count > WHOLE_MAX / size)
		count = size < WHOLE_MAX ? (int)(WHOLE_MAX / size) : 1;
	if (!is_there(region.low) || !is_there(region.high - 1))
		return 0;
	if (packing_pack(request->data, count, request->type, scratch, PACKED_MAX, &packed)
	    != MPI_SUCCESS)
		return 0;
	return (size_t)packed;
}

/* Hashes of the pieces of the first `bytes` (at most) of what the buffer holds; their number, 0: it
 * cannot be read, or is empty. */
static size_t hash_pieces(const struct request *request, bool is_safe, size_t bytes,
                          uint64_t *ret_hashes, struct piece *pieces)
{
	struct region region;
	const char *at = scratch;
	bool dense;
	size_t count;

	if (!region_of(request, &region, &dense))
		return 0;
	if (dense) {
		count = cut(pieces, divide(region.high - region.low, pieces), bytes);
		if (!fetch(region.low, pieces, count, is_safe))
			return 0;
	} else {
		size_t packed = pack_elements(request, region);

		packed = packed < bytes ? packed : bytes;
		/* Those that were packed are compared as a whole. */
		count = packed > 0 ? divide(packed < WHOLE_MAX ? packed : WHOLE_MAX, pieces) : 0;
	}
	for (size_t i = 0; i < count; at += pieces[i++].length)
		ret_hashes[i] = hash_bytes(at, pieces[i].length);
	return count;
}

static bool hash_buffer(const struct request *request, bool is_safe, size_t bytes,
                        uint64_t *ret_hash)
{
	struct piece pieces[GUARD_PIECES];
	uint64_t hashes[GUARD_PIECES];
	size_t count = hash_pieces(request, is_safe, bytes, hashes, pieces);

	*ret_hash = hash_bytes((const char *)hashes, count * sizeof(*hashes));
	return count > 0;
}

/* The first `bytes` of the buffer, if they have no gaps. */
static bool filled_region(const struct request *request, size_t bytes, struct region *ret)
{
	bool dense;

	if (bytes == 0 || !region_of(request, ret, &dense) || !dense)
		return false;
	if (ret->high - ret->low > bytes)
		ret->high = ret->low + bytes;
	return true;
}

/* Whether MPI has written the message of another receive there since the hash was taken. */
static bool find_writer(const struct request *request, struct wire_name *ret_writer)
{
	uint64_t first = request->guard.writes;
	struct region region;

	if (!filled_region(request, request->guard.bytes, &region))
		return false;
	if (write_count > WRITES && first < write_count - WRITES)
		first = write_count - WRITES;
	for (uint64_t i = first; i < write_count; i++) {
		struct region other = writes[i % WRITES].region;

		if (other.low >= region.high || region.low >= other.high)
			continue;
		*ret_writer = writes[i % WRITES].name;
		return true;
	}
	return false;
}

static void remember_write(const struct request *request, size_t bytes)
{
	struct region region;

	if (!filled_region(request, bytes, &region))
		return;
	writes[write_count % WRITES].region = region;
	writes[write_count++ % WRITES].name = request->name;
}

/* What the message has filled. */
static size_t received_bytes(const struct request *request)
{
	int bytes = 0;

	if (real_mpi()->Get_count(&request->status, MPI_BYTE, &bytes) != MPI_SUCCESS
	    || bytes == MPI_UNDEFINED || bytes < 0)
		return 0;
	return (size_t)bytes;
}

/* Whether the buffer, of which so many bytes count, is as it was. */
static void compare(struct request *request)
{
	struct guard *guard = &request->guard;
	uint64_t hash = 0;

	if (guard->writer.call == 0 && find_writer(request, &guard->writer)) {
		guard->touched = true;
		return;
	}
	if (hash_buffer(request, false, guard->bytes, &hash)) {
		if (hash == guard->hash)
			return;
	} else if (!can_read()) {
		return;
	}
	guard->touched = true;
}

void guard_begin(struct request *request)
{
	struct guard *guard = &request->guard;
	struct piece pieces[GUARD_PIECES];
	uint64_t hashes[GUARD_PIECES];
	size_t count;

	guard_release(request);
	*guard = (struct guard){ .writes = write_count, .bytes = SIZE_MAX };
	/* What is sent the library has read, or is about to. */
	count = hash_pieces(request, request->kind == REQUEST_SEND, SIZE_MAX, hashes, pieces);
	guard->hash = hash_bytes((const char *)hashes, count * sizeof(*hashes));
	guard->active = count > 0;
	if (count == 0 || request->kind == REQUEST_SEND)
		return;
	guard->pieces = malloc(count * sizeof(*hashes));
	if (guard->pieces)
		memcpy(guard->pieces, hashes, count * sizeof(*hashes));
	else
		guard->active = false;
}

void guard_before_delivery(struct request *request)
{
	struct guard *guard = &request->guard;
	struct piece pieces[GUARD_PIECES];
	uint64_t hashes[GUARD_PIECES];
	size_t count;

	if (!guard->active || request->unattended)
		return;
	count = hash_pieces(request, false, SIZE_MAX, hashes, pieces);
	for (size_t i = 0; i < count; i++)
		if (hashes[i] != guard->pieces[i])
			guard->changed |= UINT64_C(1) << i;
	if (count == 0 && can_read())
		guard->changed = UINT64_MAX; /* given back */
}

/* Whether the program has changed something that the message then filled. */
static bool was_changed(const struct request *request)
{
	struct piece pieces[GUARD_PIECES];
	uint64_t hashes[GUARD_PIECES];
	const struct guard *guard = &request->guard;
	size_t count;

	if (guard->changed == 0)
		return false;
	count = hash_pieces(request, false, SIZE_MAX, hashes, pieces);
	for (size_t i = 0; i < count; i++)
		if (guard->changed >> i & 1 && pieces[i].at + pieces[i].length <= guard->bytes)
			return true;
	return count == 0;
}

void guard_after_delivery(struct request *request)
{
	struct guard *guard = &request->guard;

	if (guard->active && !request->unattended) {
		guard->bytes = received_bytes(request);
		if (find_writer(request, &guard->writer) || was_changed(request))
			guard->touched = true;
		guard->delivered = hash_buffer(request, false, guard->bytes, &guard->hash);
	}
	remember_write(request, received_bytes(request));
	guard->writes = write_count;
}

void guard_release(struct request *request)
{
	free(request->guard.pieces);
	request->guard.pieces = NULL;
}

void guard_end(struct request *request)
{
	struct guard *guard = &request->guard;

	if (!guard->active)
		return;
	guard->active = false;
	if (!guard->touched && (request->kind == REQUEST_SEND || guard->delivered))
		compare(request);
	guard_release(request);
	if (!guard->touched)
		return;
	const struct wire_message message = {
		.type = WIRE_TOUCHED,
		.touched = { .name = request->name,
		             .noticed = gate_current_call(),
		             .receive = request->kind == REQUEST_RECEIVE,
		             .writer = guard->writer },
	};
	gate_tell(&message);
}
