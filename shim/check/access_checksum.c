#define _GNU_SOURCE /* process_vm_readv */
#include "access_checksum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gone.h"
#include "overlap.h"
#include "shim/gate/gate.h"
#include "shim/types/bytes.h"
#include "window_memory.h"

enum {
	GUARDS_MAX = 4096, /* calls under way; further ones are not watched */
	BYTES_MAX = 16 << 10,
	PIECES_MAX = 64,
	PARTS_MAX = 4,
};

/* What a call does with the rank's own memory. */
enum side { READ, WRITTEN, SIDES };

/* Whether the rank's own memory is still there. */
struct own_memory {
	struct gone_watch watch;
	struct bytes *bytes;
};

/* A call under way, and a hash of the memory that it reads, and of the memory that it writes. */
struct buffer_checksum {
	struct wire_access access; /* no parts */
	struct wire_part parts[PARTS_MAX];
	uint32_t part_count;
	uint64_t hash[SIDES];
	bool hashed[SIDES];
	struct overlap_use *use; /* the rank's own memory; NULL: none */
	struct own_memory *own;  /* likewise; owned */
};

static struct buffer_checksum guards[GUARDS_MAX];
static uint32_t buffer_checksum_count;

static uint8_t role_of(enum side side)
{
	return side == READ ? WIRE_PART_READ : WIRE_PART_WRITTEN;
}

/* The pieces of memory to compare. 0: there are none, or one lies in a window. */
static size_t list_pieces(const struct buffer_checksum *checksum, enum side side,
                          struct iovec *pieces, size_t *ret_bytes)
{
	size_t count = 0, total = 0;

	for (uint32_t i = 0; i < checksum->part_count; i++) {
		const struct wire_part *part = &checksum->parts[i];

		if (part->role != role_of(side))
			continue;
		for (uint64_t j = 0; j < part->times * part->count; j++) {
			uintptr_t low = (uintptr_t)(part->start
			                            + (int64_t)(j / part->times) * part->extent
			                            + (int64_t)(j % part->times) * part->stride);
			size_t length = part->length < BYTES_MAX ? part->length : BYTES_MAX;

			if (window_memory_at(low, low + length) != 0)
				return 0;
			if (count == PIECES_MAX || total + length > BYTES_MAX)
				break;
			pieces[count++] = (struct iovec){(void *)low, length};
			total += length;
		}
	}
	*ret_bytes = total;
	return count;
}

/* false: some of the memory is not mapped, or must not be read. */
static bool hash_memory(const struct buffer_checksum *checksum, enum side side, uint64_t *ret_hash)
{
	static char scratch[BYTES_MAX];
	struct iovec pieces[PIECES_MAX], to = {scratch, sizeof(scratch)};
	size_t bytes = 0, count = list_pieces(checksum, side, pieces, &bytes);
	int saved = errno;
	uint64_t hash = bytes, word;

	if (count == 0
	    || process_vm_readv((pid_t)syscall(SYS_getpid), &to, 1, pieces, count, 0)
	               != (ssize_t)bytes) {
		errno = saved;
		return false;
	}
	memset(scratch + bytes, 0, bytes + sizeof(word) <= BYTES_MAX ? sizeof(word) : 0);
	for (size_t i = 0; i + sizeof(word) <= BYTES_MAX && i < bytes; i += sizeof(word)) {
		memcpy(&word, scratch + i, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	*ret_hash = hash;
	return true;
}

static void watch_own(struct buffer_checksum *checksum, const struct wire_access *access)
{
	const struct wire_user user = {
		.function = access->function, .site = access->site, .kind = WIRE_USE_ONE_SIDED};
	struct bytes *bytes = bytes_own(access->parts, access->part_count);

	checksum->use = NULL;
	checksum->own = NULL;
	if (!bytes || bytes->count == 0) {
		bytes_release(bytes);
		return;
	}
	/* if threads are serialised, another one may be in overlap.h, which has no lock */
	if (!gate_is_serialised())
		checksum->use = overlap_begin(&user, bytes, false);
	checksum->own = calloc(1, sizeof(*checksum->own));
	if (!checksum->own) {
		bytes_release(bytes);
		return;
	}
	checksum->own->bytes = bytes;
	gone_watch_begin(&checksum->own->watch, &user, bytes);
}

/* Returns enum wire_touch, or -1, for the memory. */
static int stop_watching(struct own_memory *own)
{
	int how;

	if (!own)
		return -1;
	how = gone_how(&own->watch);
	gone_watch_end(&own->watch);
	bytes_release(own->bytes);
	free(own);
	return how;
}

static bool is_watched(const struct wire_part *part, bool settled)
{
	return part->role == WIRE_PART_READ || (settled && part->role == WIRE_PART_WRITTEN);
}

void access_checksum_begin(const struct wire_access *access, bool settled)
{
	struct buffer_checksum *checksum = &guards[buffer_checksum_count];

	if (buffer_checksum_count == GUARDS_MAX)
		return;
	checksum->access = *access;
	checksum->access.parts = NULL;
	checksum->access.part_count = 0;
	checksum->part_count = 0;
	for (uint32_t i = 0; i < access->part_count && checksum->part_count < PARTS_MAX; i++)
		if (is_watched(&access->parts[i], settled))
			checksum->parts[checksum->part_count++] = access->parts[i];
	for (enum side side = READ; side < SIDES; side++)
		checksum->hashed[side] = checksum->part_count > 0
		                         && hash_memory(checksum, side, &checksum->hash[side]);
	watch_own(checksum, access);
	if (checksum->hashed[READ] || checksum->hashed[WRITTEN] || checksum->use || checksum->own)
		buffer_checksum_count++;
}

static bool has_changed(const struct buffer_checksum *checksum, enum side side)
{
	uint64_t hash;

	return checksum->hashed[side] && hash_memory(checksum, side, &hash)
	       && hash != checksum->hash[side];
}

bool access_completes(const struct wire_access *by, const struct wire_access *access)
{
	switch (by->kind) {
	case WIRE_ACCESS_REQUEST: return by->number == access->number;
	case WIRE_ACCESS_FENCE:
		if (by->flags & WIRE_ACCESS_NOPRECEDE)
			return false;
		break;
	case WIRE_ACCESS_FLUSH:
	case WIRE_ACCESS_FREE:
	case WIRE_ACCESS_FLUSH_LOCAL:
	case WIRE_ACCESS_COMPLETE: break;
	default: return false;
	}
	return by->window == access->window
	       && (by->target == WIRE_ANY || by->target == access->target);
}

/* By what has become of the memory, enum wire_touch, or -1. */
static uint8_t kind_of(int how)
{
	return how == WIRE_TOUCH_FREED  ? WIRE_ACCESS_FREED
	       : how == WIRE_TOUCH_LEFT ? WIRE_ACCESS_LEFT
	                                : WIRE_ACCESS_CHANGED;
}

static bool reads_own(const struct buffer_checksum *checksum)
{
	for (uint32_t i = 0; i < checksum->part_count; i++)
		if (checksum->parts[i].role == WIRE_PART_READ)
			return true;
	return false;
}

uint32_t access_checksum_end(const struct wire_access *access, struct wire_access *ret,
                             uint32_t most)
{
	uint32_t kept = 0, changed = 0;
	uint8_t kind;

	if (access->kind == WIRE_ACCESS_DATA)
		return 0;
	for (uint32_t i = 0; i < buffer_checksum_count; i++) {
		bool read, written;

		if (changed == most || !access_completes(access, &guards[i].access)) {
			if (kept != i)
				guards[kept] = guards[i];
			kept++;
			continue;
		}
		bool overlaps = guards[i].use && overlap_found(guards[i].use);

		overlap_end(guards[i].use);
		kind = kind_of(stop_watching(guards[i].own));
		read = kind != WIRE_ACCESS_CHANGED ? reads_own(&guards[i])
		                                   : !overlaps && has_changed(&guards[i], READ);
		written = !overlaps && !read && has_changed(&guards[i], WRITTEN);
		if (kind == WIRE_ACCESS_CHANGED && !read && !written)
			continue;
		ret[changed] = guards[i].access;
		ret[changed].flags = read ? WIRE_ACCESS_WRITES : WIRE_ACCESS_READS;
		ret[changed++].kind = kind;
	}
	buffer_checksum_count = kept;
	return changed;
}
