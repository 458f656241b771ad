/* Whether the program leaves the buffer of an active nonblocking operation alone (MPI 3.1, section
 * 3.7.2): of a send from its start to its completion; of a receive until its message begins to
 * come in, and from its arrival to its completion. Small buffers are compared as a whole, larger
 * ones by samples. Gaps of a datatype are not part of the buffer, nor is of a receive's what its
 * message does not fill (before it has come that is known for whole pieces, of 8 bytes or more).
 *
 * And whether MPI itself writes a message into the buffer of another operation that is active: then
 * the two overlap, or an array is shorter than its count says. That is seen where neither has
 * gaps. */
#ifndef MATCHPOINT_SHIM_GUARD_H
#define MATCHPOINT_SHIM_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

struct request;

enum { GUARD_PIECES = 64 }; /* into which a buffer is divided, at most */

struct guard {
	bool active;
	bool delivered; /* a receive: its message is in the buffer */
	bool touched;   /* known already */
	uint64_t *pieces; /* owned: their hashes when it began; NULL: only `hash` */
	uint64_t changed; /* the pieces that were other before the message came, a bit each */
	uint64_t hash;    /* of all */
	size_t bytes;     /* that a message fills; all of a send's */
	uint64_t writes;  /* by MPI to any buffer, up to when the hash was taken */
	struct wire_name writer; /* the operation whose message MPI wrote here; call 0: none */
};

/* The operation has been started, and is to be completed by another call. */
void guard_begin(struct request *request);

/* A receive is about to be given to the library, or has been completed there. */
void guard_before_delivery(struct request *request);
void guard_after_delivery(struct request *request);

/* The request is gone. */
void guard_release(struct request *request);

/* The call opened last completes the request: tells the scheduler if the buffer is not what it
 * was. */
void guard_end(struct request *request);

#endif
