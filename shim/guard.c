#define _GNU_SOURCE /* process_vm_readv */
#include "guard.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gate.h"
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

/* Where MPI has written messages lately: a ring. Two receives into one buffer, of which nobody
 * looks at the contents, are a mistake of another kind. */
static struct region writes[WRITES];
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

/* `is_safe`: the memory is there; else the program may have given it back, or never have had as
 * much as its count says. */
static bool hash_region(struct region region, bool is_safe, uint64_t *ret_hash)
{
	struct iovec parts[SAMPLES + 2];
	size_t bytes = region.high - region.low, count = 0, total = 0;

	if (bytes <= WHOLE_MAX) {
		parts[count++] = (struct iovec){ (void *)region.low, bytes };
	} else {
		size_t step = (bytes - 2 * EDGE) / SAMPLES;

		parts[count++] = (struct iovec){ (void *)region.low, EDGE };
		for (size_t i = 0; i < SAMPLES; i++)
			parts[count++] = (struct iovec){
				(void *)(region.low + EDGE + i * step + step / 2 - SAMPLE / 2),
				SAMPLE,
			};
		parts[count++] = (struct iovec){ (void *)(region.high - EDGE), EDGE };
	}
	for (size_t i = 0; i < count; i++)
		total += parts[i].iov_len;
	if (is_safe) {
		total = 0;
		for (size_t i = 0; i < count; i++) {
			memcpy(scratch + total, parts[i].iov_base, parts[i].iov_len);
			total += parts[i].iov_len;
		}
	} else if (!read_parts(parts, count, total)) {
		return false;
	}
	*ret_hash = hash_bytes(scratch, total);
	return true;
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

/* Of the elements alone, as many as fit. */
static bool hash_elements(const struct request *request, struct region region, uint64_t *ret_hash)
{
	MPI_Count size = 0;
	int count = request->count, packed = 0;

	real_mpi()->Type_size_x(request->type, &size);
	if (size > PACKED_MAX / 2)
		return false;
	if (count > WHOLE_MAX / size)
		count = size < WHOLE_MAX ? (int)(WHOLE_MAX / size) : 1;
	if (!is_there(region.low) || !is_there(region.high - 1))
		return false;
	if (real_mpi()->Pack(request->data, count, request->type, scratch, PACKED_MAX, &packed,
	                     request->comm)
	    != MPI_SUCCESS)
		return false;
	*ret_hash = hash_bytes(scratch, (size_t)packed);
	return true;
}

static bool hash_buffer(const struct request *request, bool is_safe, uint64_t *ret_hash)
{
	struct region region;
	bool dense;

	if (!region_of(request, &region, &dense))
		return false;
	return dense ? hash_region(region, is_safe, ret_hash)
	             : hash_elements(request, region, ret_hash);
}

static void remember_write(const struct request *request)
{
	struct region region;
	bool dense;

	if (region_of(request, &region, &dense))
		writes[write_count++ % WRITES] = region;
}

/* Whether MPI may have written a message into the buffer since its hash was taken. */
static bool may_be_written(const struct request *request)
{
	struct region region;
	bool dense;

	if (write_count - request->guard.writes > WRITES || !region_of(request, &region, &dense))
		return true;
	for (uint64_t i = request->guard.writes; i < write_count; i++) {
		const struct region *other = &writes[i % WRITES];

		if (other->low < region.high && region.low < other->high)
			return true;
	}
	return false;
}

static void compare(struct request *request)
{
	uint64_t hash = 0;

	if (hash_buffer(request, false, &hash)) {
		if (hash == request->guard.hash)
			return;
	} else if (!can_read()) {
		return;
	}
	if (request->kind == REQUEST_RECEIVE && may_be_written(request))
		return;
	request->guard.touched = true;
}

void guard_begin(struct request *request)
{
	struct guard *guard = &request->guard;

	*guard = (struct guard){ .writes = write_count };
	/* What is sent the library has read, or is about to. */
	guard->active = hash_buffer(request, request->kind == REQUEST_SEND, &guard->hash);
}

void guard_before_delivery(struct request *request)
{
	if (request->guard.active && !request->unattended)
		compare(request);
	remember_write(request);
}

void guard_after_delivery(struct request *request)
{
	struct guard *guard = &request->guard;

	remember_write(request);
	if (!guard->active || request->unattended)
		return;
	guard->writes = write_count;
	guard->delivered = hash_buffer(request, false, &guard->hash);
}

void guard_end(struct request *request)
{
	struct guard *guard = &request->guard;

	if (!guard->active)
		return;
	guard->active = false;
	if (!guard->touched && (request->kind == REQUEST_SEND || guard->delivered))
		compare(request);
	if (!guard->touched)
		return;
	const struct wire_message message = {
		.type = WIRE_TOUCHED,
		.touched = { .name = request->name,
		             .noticed = gate_current_call(),
		             .receive = request->kind == REQUEST_RECEIVE },
	};
	gate_tell(&message);
}
