/* Requests that will bring data, or that can be started again: where that goes, until they
 * complete. */
#ifndef MATCHPOINT_SHIM_RECORD_REQUESTS_H
#define MATCHPOINT_SHIM_RECORD_REQUESTS_H

#include "call.h"

enum requests_bring {
	REQUESTS_MESSAGE, /* as many bytes as the status tells */
	REQUESTS_RESULT,  /* all of the buffers */
};

/* The call has begun or prepared an operation with its buffers, which become the request's. */
void requests_add(struct record_call *call, const MPI_Request *request, enum requests_bring bring,
                  bool is_persistent);

/* The call has begun an access to the memory of a window, or a split operation on a file: `holder`
 * is the handle of either. Its buffers get what it brings as requests_settle tells, or as its
 * request completes, if it has one, whatever comes first. Holder 0: only its request does. */
void requests_hold(struct record_call *call, uint64_t holder, int target,
                   const MPI_Request *request);
/* All that was begun of a holder to this target is complete. */
void requests_settle(const struct record_call *call, uint64_t holder, int target);
/* Only locally. MPICH 4.0 returns before some data has come, so it is looked at again later. */
void requests_settle_locally(const struct record_call *call, uint64_t holder, int target);
#define REQUESTS_ALL INT32_MIN /* targets */

/* What a request that was given to a call stands for; NULL: it brings nothing. It is taken out when
 * the call completes it. */
struct pending *requests_find(MPI_Request request);
/* The operation is complete: moves its data, and forgets it unless it is persistent. */
void requests_complete(struct pending *pending, const MPI_Status *status);
/* The same, for a request that stays: its data is there, and may be looked at. */
void requests_show(struct pending *pending, const MPI_Status *status);
/* Hashes what a persistent request sends now. */
void requests_start(struct record_call *call, MPI_Request request);
/* Returns false if it is still to bring data: that could never be recorded. */
bool requests_free(MPI_Request request);

#endif
