/* Whether the program leaves the buffers of an active nonblocking operation alone (MPI 3.1,
 * sections 3.7.2 and 5.12): what is sent from its start to its completion; what is received until
 * the data begins to come in, and from its arrival to its completion. Small buffers are compared as
 * a whole, larger ones by samples. Gaps of a datatype are not part of the buffer, nor is of a
 * receive's what its message does not fill (before it has come that is known for whole pieces, of 8
 * bytes or more).
 *
 * Buffers in memory of a window are not watched, as others may write there.
 *
 * And it tells overlap.h which bytes the operation uses, window_memory.h which of a window. */
#ifndef MATCHPOINT_SHIM_REQUEST_BUFFER_CHECKSUM_H
#define MATCHPOINT_SHIM_REQUEST_BUFFER_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"
#include "shim/check/overlap.h"
#include "shim/check/window_memory.h"
#include "shim/types/bytes.h"

struct request;

enum { GUARD_PIECES = 64 }; /* into which a buffer is divided, at most */

struct buffer_checksum {
	struct bytes *bytes; /* owned; of a persistent request also between its starts */
	bool active;
	bool delivered;          /* its data is in the buffer */
	bool touched;            /* known already */
	uint64_t *pieces;        /* owned: hashes of what is received into, when it began */
	uint64_t changed;        /* the pieces that were other before the data came, a bit each */
	uint64_t sent, received; /* hashes, of all */
	uint64_t filled;         /* bytes that a message fills; all of a collective's */
	struct overlap_use *use; /* NULL: none */
	bool cancelled;          /* in time */
	struct window_use window;
};

/* Looks at the arguments of a send or a receive, before its type is replaced by another handle. */
void buffer_checksum_prepare(struct request *request);

/* The operation has been started, and is to be completed by another call. */
void buffer_checksum_begin(struct request *request);
/* The same of a collective, with its buffers, of which it keeps the bytes. */
void buffer_checksum_begin_collective(struct request *request, struct bytes *bytes);

/* A blocking operation begins; a collective of this name. */
void buffer_checksum_blocking_send(const struct request *request);
/* The same of the send of MPI_Sendrecv, which its receive must leave alone: to be ended with
 * overlap_end. */
struct overlap_use *buffer_checksum_joined_send(const struct request *request);
void buffer_checksum_blocking_collective(struct wire_name name, struct bytes *bytes);
/* The collective is complete for this rank. */
void buffer_checksum_collective_over(const struct bytes *bytes);

/* Whether anybody wants to know of the buffers of blocking operations. */
bool buffer_checksum_wants_blocking(void);

/* A receive or a collective is about to be given to the library, or has been completed there. */
void buffer_checksum_before_delivery(struct request *request);
void buffer_checksum_after_delivery(struct request *request);

/* The program no longer tells when it is complete; or the request is gone. */
void buffer_checksum_release(struct request *request);

/* The operation was cancelled in time: it has neither read nor written. */
void buffer_checksum_cancelled(struct request *request);

/* The call opened last completes the request: tells the scheduler if the buffer is not what it
 * was. */
void buffer_checksum_end(struct request *request);

#endif
