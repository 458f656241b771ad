/* One message to be sent or received, common to all point-to-point calls: checks the arguments,
 * passes sends to MPI, and describes the operation to the scheduler. */
#ifndef MATCHPOINT_SHIM_REQUEST_TRANSFER_H
#define MATCHPOINT_SHIM_REQUEST_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"
#include "request.h"

struct transfer {
	enum request_kind kind; /* SEND or RECEIVE */
	uint8_t mode;           /* enum wire_send_mode */
	void *data;
	int count;
	MPI_Datatype type;
	int peer;
	int tag;
	MPI_Comm comm;
	bool must_copy;   /* the data will be overwritten before it is known to be sent */
	bool held;        /* a send: its call waits for the scheduler; see transfer_start */
	bool synchronous; /* a send: MPI must report when it is matched, if that saves waiting */
};

/* Checks the arguments with MPI, without communication. MPI's code. */
int transfer_check(const struct transfer *transfer);

/* The arguments of a send or receive, in MPI's order. */
struct transfer transfer_sending(uint8_t mode, const void *data, int count, MPI_Datatype type,
                                 int destination, int tag, MPI_Comm comm);
struct transfer transfer_receiving(void *data, int count, MPI_Datatype type, int source, int tag,
                                   MPI_Comm comm);

/* Checks, and makes a request that is not started. MPI's code; *ret_request is set only on
 * MPI_SUCCESS. */
int transfer_new(const struct transfer *transfer, struct request **ret_request);

/* Starts the request under this name. A send is posted to MPI, from a copy if the program may
 * continue before it is received. A receive waits for BIND. So does a large send whose call is
 * held: most are matched before the call returns, and then need no copy. A request without a peer
 * (MPI_PROC_NULL) is over and gets no name. MPI's code. */
int transfer_start(struct request *request, struct wire_name name);

/* Whether the send is held, and not posted. transfer_post_awaited: posts such a send if its
 * receiver waits for the message (awaited.h); returns whether it is posted now. */
bool transfer_is_held(const struct request *request);
bool transfer_post_awaited(struct request *request);

/* The held call may return: posts a send that has not been matched yet. */
void transfer_let_go(struct request *request);

/* The bytes of its message; of a receive, the most. */
size_t transfer_bytes(const struct request *request);

/* Whether so many bytes that a copy would take long. */
bool transfer_is_large(const struct request *request);

/* Whether a send of this mode frees the program's buffer at once. */
bool transfer_copies(uint8_t mode);

/* Whether a blocking send of this mode returns without waiting for the scheduler. */
bool transfer_returns(uint8_t mode);

/* Whether the call of this request may return without the scheduler: it is known to complete, and
 * MPI can report when. */
bool transfer_may_go_ahead(const struct request *request);

/* For requests that outlive their call: the program may free datatype and communicator at once.
 * MPI's code. */
int transfer_keep_arguments(struct request *request);

/* The started request outlives its call: watches its buffer until it completes. */
void transfer_checksum(struct request *request);

/* The operation of a started request with a name, for the scheduler. Once for each start. */
struct wire_op transfer_op(const struct request *request);

/* Adds that operation to the call, for which there is room, as one that outlives the call. */
void transfer_add_nonblocking(struct wire_call *call, const struct request *request);

#endif
