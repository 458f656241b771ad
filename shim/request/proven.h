/* Going on without the scheduler's word. If nobody looks for other interleavings (struct
 * wire_welcome, `hurries`), a rank need not wait for GO where MPI itself proves the match: a
 * receive that names source and tag takes the message that MPI gives it, which is the one that the
 * scheduler would bind (MPI 3.1, section 3.5; receiving.h). The rank reports the call when it is
 * over; the scheduler hears of the message from its sender, and checks.
 *
 * A large send is matched if its receiver has told that it waits for this message (awaited.h), or
 * if MPI has completed it as a synchronous one.
 *
 * If that does not happen within a moment, the rank waits for GO as usual. */
#ifndef MATCHPOINT_SHIM_REQUEST_PROVEN_H
#define MATCHPOINT_SHIM_REQUEST_PROVEN_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

struct request;

/* Whether all these requests are complete. The program waits for all of them, and for nothing less:
 * posts their receives, and waits for a moment. */
bool proven_all(struct request *const *requests, uint32_t count);

/* The same for a blocking call, under both bufferings. It waits for all these requests. */
bool proven_blocking(struct request *const *requests, uint32_t count);

/* Whether this request is complete. The program waits for any of several, of which this is the one
 * that it gets if it is complete: the receive is posted only if its message is there. */
bool proven_one(struct request *request);

/* Whether this request of MPI's completes within a moment. */
bool proven_library(MPI_Request *request);

#endif
