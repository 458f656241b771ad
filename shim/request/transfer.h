/* One message to be sent or received, as all point-to-point calls have it: checking the arguments,
 * giving sends to the library, and telling the scheduler of it. */
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
	bool synchronous; /* a send: the library is to tell when it is matched */
};

/* MPI's own judgement of the arguments, without communicating. */
int transfer_check(const struct transfer *transfer);

/* The arguments of a send or receive, in MPI's order. */
struct transfer transfer_sending(uint8_t mode, const void *data, int count, MPI_Datatype type,
                                 int destination, int tag, MPI_Comm comm);
struct transfer transfer_receiving(void *data, int count, MPI_Datatype type, int source, int tag,
                                   MPI_Comm comm);

/* Checks, and makes a request that is not started. MPI's code; the request is untouched unless that
 * is MPI_SUCCESS. */
int transfer_new(const struct transfer *transfer, struct request **ret_request);

/* Starts it under this name: a send is posted to the library (from a copy where the program may go
 * on before it is received), a receive waits for BIND. So does a large send whose call is held:
 * most are matched before the call returns, and then need no copy. Without a peer (MPI_PROC_NULL)
 * it is over and keeps no name. MPI's code. */
int transfer_start(struct request *request, struct wire_name name);

/* The held call may return: posts a send that has not been matched until now. */
void transfer_let_go(struct request *request);

/* How many bytes its message has; of a receive, at most. */
size_t transfer_bytes(const struct request *request);

/* Whether a send of this mode leaves the program's buffer at once. */
bool transfer_copies(uint8_t mode);

/* Whether a blocking send of this mode returns without asking. */
bool transfer_returns(uint8_t mode);

/* The same of one that is known to return: the library can tell when. */
bool transfer_may_go_ahead(const struct request *request);

/* For receives that outlive their call: the program may free datatype and communicator at once. */
int transfer_keep_arguments(struct request *request);

/* The started request outlives its call: watches over its buffer until it completes. */
void transfer_checksum(struct request *request);

/* What the scheduler is told of a started request with a name, once for each start. */
struct wire_op transfer_op(const struct request *request);

/* Adds that to the call's operations, for which there is room: one that outlives the call. */
void transfer_add_nonblocking(struct wire_call *call, const struct request *request);

#endif
