/* Finds overlapping buffers of operations under way, of which at least one is written (MPI 3.1,
 * sections 2.4.2 and 3.7). Operations are sends, receives, collectives, and one-sided calls with
 * the rank's own memory. So are loads and stores of the program (direct.h) that touch the buffer of
 * an operation under way. One-sided calls are not compared with each other; the scheduler does that
 * (scheduler/world/rma.h).
 *
 * A receive's count is only an upper bound; the bytes used are known when its message has arrived.
 * Then it is compared with all operations that were under way since it began, also with those that
 * have ended. The pairs found are sent after the next reported call.
 *
 * O(log n) for each operation, plus the number of operations that it may overlap. */
#ifndef MATCHPOINT_SHIM_CHECK_OVERLAP_H
#define MATCHPOINT_SHIM_CHECK_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"
#include "shim/types/bytes.h"

struct overlap_use;

/* An operation begins. It uses these bytes, or (`at_most`) some of them. Keeps a reference to
 * `bytes`. The caller ends it with overlap_end. NULL: out of memory. */
struct overlap_use *overlap_begin(const struct wire_user *user, struct bytes *bytes, bool at_most);

/* The bytes that the operation really uses. Keeps a reference. */
void overlap_know(struct overlap_use *use, struct bytes *bytes);

/* The bytes that the operation uses; NULL: not known yet. */
const struct bytes *overlap_bytes(const struct overlap_use *use);

/* Whether the operation overlaps another one. */
bool overlap_found(const struct overlap_use *use);

/* The operation is complete, or its completion can no longer be observed. May be NULL. */
void overlap_end(struct overlap_use *use);

/* Whether any operation is under way; and whether one may use a byte of [low, high). */
bool overlap_is_any(void);
bool overlap_may_use(uintptr_t low, uintptr_t high);

/* An operation that begins and ends at once: a blocking call, or loads and stores of the
 * program. */
void overlap_pass(const struct wire_user *user, struct bytes *bytes);

/* Sends the pairs found. All calls have been reported. */
void overlap_send(void);

/* For gate.c: appends the pairs found, except those that name a call after `call`. */
void overlap_encode(struct wire_buffer *out, uint32_t call);

#endif
