/* The bytes of one buffer, or of all buffers of one operation: parts (struct wire_part) of the
 * rank's own memory that the operation reads or writes. Reference-counted. Constant while it has
 * more than one user. */
#ifndef MATCHPOINT_SHIM_TYPES_BYTES_H
#define MATCHPOINT_SHIM_TYPES_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"

struct bytes {
	unsigned users;
	bool unknown; /* the bytes of some part could not be determined; they are missing */
	uint32_t count;
	struct wire_part *parts;
};

/* No parts; the caller holds the one reference. NULL: out of memory. */
struct bytes *bytes_new(void);
struct bytes *bytes_keep(struct bytes *bytes);
void bytes_release(struct bytes *bytes); /* may be NULL */

/* Only while `bytes` has one user. `role`: WIRE_PART_READ or WIRE_PART_WRITTEN. `data` may be
 * MPI_BOTTOM. */
void bytes_add(struct bytes *bytes, uint8_t role, const void *data, MPI_Count count,
               MPI_Datatype type);

/* One buffer: bytes_new and bytes_add. NULL: out of memory. */
struct bytes *bytes_of(uint8_t role, const void *data, MPI_Count count, MPI_Datatype type);

/* Of the given parts, those in the rank's own memory (not WIRE_PART_TARGET). NULL: out of
 * memory. */
struct bytes *bytes_own(const struct wire_part *parts, uint32_t count);

/* The part of one buffer that a message of `filled` bytes fills: whole elements of `size` bytes
 * each. NULL: out of memory. */
struct bytes *bytes_filled(const struct bytes *bytes, uint64_t filled, uint64_t size);

/* The parts with that role. NULL: out of memory. */
struct bytes *bytes_in_role(const struct bytes *bytes, uint8_t role);

/* The lowest address of a part, and the address after its highest. The part must not be empty
 * (length, times, count). */
void bytes_span(const struct wire_part *part, int64_t *ret_low, int64_t *ret_high);

/* The same of all parts. false, and nothing is set: there are no bytes. */
bool bytes_span_all(const struct bytes *bytes, int64_t *ret_low, int64_t *ret_high);

/* The number of bytes with that role. */
uint64_t bytes_size(const struct bytes *bytes, uint8_t role);

/* Where the bytes `at` to `at` + `length` of those with that role lie, in MPI's order of elements.
 * Calls `found` with one piece of memory after the other, until it returns false. */
typedef bool (*bytes_found)(void *user, uintptr_t address, size_t length);
void bytes_locate(const struct bytes *bytes, uint8_t role, uint64_t at, uint64_t length,
                  bytes_found found, void *user);

/* Whether the two have a common byte that at least one of them writes; then sets which of them
 * write. Layouts that are too large to compare count as disjoint. */
bool bytes_meet(const struct bytes *one, const struct bytes *other, bool *ret_one_writes,
                bool *ret_other_writes);

#endif
