/* Which buffers are in use by operations under way, and whether two of them overlap where one is
 * written to (MPI 3.1, section 2.4.2 and 3.7): sends, receives, collectives, and what one-sided
 * calls use of the rank's own memory; of these last two with each other the scheduler knows
 * (scheduler/world/rma.h). What a receive uses is known when its message has come: a count is but
 * an upper bound. So it is compared then with all that was under way since it began, also if that
 * has ended. Found pairs are told behind the next call that is told.
 *
 * O(log n) for each operation, beside those that it may overlap. */
#ifndef MATCHPOINT_SHIM_CHECK_OVERLAP_H
#define MATCHPOINT_SHIM_CHECK_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"
#include "shim/types/bytes.h"

struct overlap_use;

/* An operation begins, which uses these bytes, or (`is_most`) some of them. Keeps `bytes`. NULL:
 * out of memory. */
struct overlap_use *overlap_begin(const struct wire_user *user, struct bytes *bytes, bool is_most);

/* Now it is known which. */
void overlap_know(struct overlap_use *use, struct bytes *bytes);

/* What they are; NULL: not known. */
const struct bytes *overlap_bytes(const struct overlap_use *use);

/* Whether it overlaps another one. */
bool overlap_found(const struct overlap_use *use);

/* The operation is complete, or the program no longer tells when it is. May be NULL. */
void overlap_end(struct overlap_use *use);

/* Whether anything is under way. */
bool overlap_is_any(void);

/* An operation that begins and ends at once, as does a blocking call. */
void overlap_pass(const struct wire_user *user, struct bytes *bytes);

/* For gate.c: appends what was found, as far as calls up to that one are about it. */
void overlap_encode(struct wire_buffer *out, uint32_t call);

#endif
