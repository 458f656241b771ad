/* Whether the program leaves the buffer of an active nonblocking operation alone (MPI 3.1, section
 * 3.7.2): of a send from its start to its completion; of a receive until its message begins to
 * come in, and from its arrival to its completion. Small buffers are compared as a whole, larger
 * ones by samples. Gaps of a datatype are not part of the buffer. */
#ifndef MATCHPOINT_SHIM_GUARD_H
#define MATCHPOINT_SHIM_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct request;

struct guard {
	bool active;
	bool delivered; /* a receive: its message is in the buffer */
	bool touched;   /* known already */
	uint64_t hash;
	uint64_t writes; /* by MPI to any buffer, up to when the hash was taken */
};

/* The operation has been started, and is to be completed by another call. */
void guard_begin(struct request *request);

/* A receive is about to be given to the library, or has been completed there. */
void guard_before_delivery(struct request *request);
void guard_after_delivery(struct request *request);

/* The call opened last completes the request: tells the scheduler if the buffer is not what it
 * was. */
void guard_end(struct request *request);

#endif
