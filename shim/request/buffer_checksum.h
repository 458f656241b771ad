/* Detects that the program touches the buffer of an active nonblocking operation (MPI 3.1, sections
 * 3.7.2 and 5.12). A send buffer is watched from start to completion. A receive buffer is watched
 * until the data begins to arrive, and from its arrival to completion. Small buffers are compared
 * as a whole, larger ones by samples. Gaps of a datatype do not belong to the buffer. Neither does
 * the part of a receive buffer that the message does not fill; before its arrival that is known for
 * whole pieces, of 8 bytes or more.
 *
 * Buffers in memory of a window are not watched, because other processes may write there.
 *
 * This module also reports the bytes that operations use to overlap.h and window_memory.h. */
#ifndef MATCHPOINT_SHIM_REQUEST_BUFFER_CHECKSUM_H
#define MATCHPOINT_SHIM_REQUEST_BUFFER_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"
#include "shim/check/gone.h"
#include "shim/check/overlap.h"
#include "shim/check/window_memory.h"
#include "shim/types/bytes.h"

struct request;

enum { GUARD_PIECES = 64 }; /* the most pieces that a buffer is divided into */

struct buffer_checksum {
	struct bytes *bytes; /* owned; kept between the starts of a persistent request */
	bool active;
	bool delivered;          /* the data is in the buffer */
	bool touched;            /* the program has changed the buffer */
	uint64_t *pieces;        /* owned: hashes of the receive buffer when the operation began */
	uint64_t changed;        /* a bit for each piece that had changed before the data arrived */
	uint64_t sent, received; /* hashes of the whole buffers */
	uint64_t filled;         /* bytes that the message fills; UINT64_MAX: all */
	struct overlap_use *use; /* NULL: none */
	bool matched;            /* a receive: with a message of `size` bytes */
	uint64_t size;
	bool cancelled; /* MPI has cancelled the operation */
	struct window_use window;
	struct gone_watch gone;
};

/* Reads the arguments of a send or receive, before its type is replaced by another handle. */
void buffer_checksum_prepare(struct request *request);

/* The operation has started; another call will complete it. */
void buffer_checksum_begin(struct request *request);
/* The same for a collective. Keeps a reference to `bytes`. */
void buffer_checksum_begin_collective(struct request *request, struct bytes *bytes);

/* A blocking operation begins; `name` is the collective's. */
void buffer_checksum_blocking_send(const struct request *request);
/* The same for the send of MPI_Sendrecv, which the receive must not overlap. The caller ends the
 * use with overlap_end. */
struct overlap_use *buffer_checksum_joined_send(const struct request *request);
void buffer_checksum_blocking_collective(struct wire_name name, struct bytes *bytes);
/* The collective is complete in this rank. */
void buffer_checksum_collective_over(const struct bytes *bytes);

/* Whether the buffers of blocking operations have to be examined. */
bool buffer_checksum_wants_blocking(void);

/* The program will not complete this receive before MPI_Finalize. If it has been matched, the bytes
 * of its message count as used. */
void buffer_checksum_settle(struct request *request);

/* A hash of these bytes, which are sent, as they are now; 0: not known. `is_safe`: the memory is
 * known to be mapped. */
uint64_t buffer_checksum_now(const struct bytes *bytes, bool is_safe);

/* A receive or collective is about to be passed to MPI, or MPI has completed it. */
void buffer_checksum_before_delivery(struct request *request);
void buffer_checksum_after_delivery(struct request *request);

/* The program will not complete the request any more, or the request is gone. */
void buffer_checksum_release(struct request *request);

/* MPI has cancelled the operation: it has neither read nor written. */
void buffer_checksum_cancelled(struct request *request);

/* The call opened last completes the request. Reports to the scheduler if the buffer has
 * changed. */
void buffer_checksum_end(struct request *request);

#endif
