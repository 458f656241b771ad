/* The bytes of a buffer, or of all buffers of one operation: parts (struct wire_part) of the rank's
 * own memory that are read, and such that are written. Counted by their users; never changed. */
#ifndef MATCHPOINT_SHIM_TYPES_BYTES_H
#define MATCHPOINT_SHIM_TYPES_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"

struct bytes {
	unsigned users;
	bool unknown; /* something of it could not be told, and is missing */
	uint32_t count;
	struct wire_part *parts;
};

/* Without parts; the caller is its first user. NULL: out of memory. */
struct bytes *bytes_new(void);
struct bytes *bytes_keep(struct bytes *bytes);
void bytes_release(struct bytes *bytes); /* may be NULL */

/* While it has one user. `role`: WIRE_PART_READ or WIRE_PART_WRITTEN; `data` may be MPI_BOTTOM. */
void bytes_add(struct bytes *bytes, uint8_t role, const void *data, MPI_Count count,
               MPI_Datatype type);

/* One buffer: bytes_new and bytes_add. NULL: out of memory. */
struct bytes *bytes_of(uint8_t role, const void *data, MPI_Count count, MPI_Datatype type);

/* Of parts that are there, those in the rank's own memory. NULL: out of memory. */
struct bytes *bytes_own(const struct wire_part *parts, uint32_t count);

/* Of one buffer, as much as a message of so many bytes fills, in whole elements of `size` bytes
 * each. NULL: out of memory. */
struct bytes *bytes_filled(const struct bytes *bytes, uint64_t filled, uint64_t size);

/* Those in that role. NULL: out of memory. */
struct bytes *bytes_in_role(const struct bytes *bytes, uint8_t role);

/* Where a part begins and ends: its lowest address, and the one behind its highest. It is not empty
 * (length, times, count). */
void bytes_span(const struct wire_part *part, int64_t *ret_low, int64_t *ret_high);

/* How many there are in that role. */
uint64_t bytes_size(const struct bytes *bytes, uint8_t role);

/* Where bytes `at` to `at` + `length` of those in that role lie, in the order in which MPI has the
 * elements: calls `found` with one piece of memory after the other; until it returns false. */
typedef bool (*bytes_found)(void *user, uintptr_t address, size_t length);
void bytes_locate(const struct bytes *bytes, uint8_t role, uint64_t at, uint64_t length,
                  bytes_found found, void *user);

/* Whether the two have a byte in common that one of them writes; then which does. Layouts too
 * large to be compared have none. */
bool bytes_meet(const struct bytes *one, const struct bytes *other, bool *ret_one_writes,
                bool *ret_other_writes);

#endif
