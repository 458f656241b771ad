/* The members of a request, for the modules that make, post and complete them. Others use
 * request.h. */
#ifndef MATCHPOINT_SHIM_REQUEST_REQUEST_INTERNAL_H
#define MATCHPOINT_SHIM_REQUEST_REQUEST_INTERNAL_H

#include "buffer.h"
#include "buffer_checksum.h"
#include "request.h"
#include "staging.h"

struct request {
	bool in_use;
	enum request_kind kind;
	uint32_t index;
	struct wire_name name; /* of the operation under way; call 0: none */

	/* As the program gave them. A receive's `peer` and `tag` may be wildcards: see
	 * bound_peer. */
	void *data;
	int count;
	MPI_Datatype type;
	struct wire_types types; /* signature of `type` */
	int peer;
	int tag;
	MPI_Comm comm;
	uint8_t mode; /* enum wire_send_mode */
	bool owns_type;
	bool retains_comm;

	int bound_peer, bound_tag; /* from BIND */
	bool bound;
	bool unposted;     /* a receive: started, not posted (receiving.h) */
	bool names_large;  /* it may be posted before BIND */
	bool keeps_order;  /* a collective: started, posted upon BIND; others come after it */
	bool ahead;        /* posted before BIND, which has not come yet */
	bool moving;       /* matched, and not complete in MPI */
	MPI_Request real;  /* MPI_REQUEST_NULL: not posted, or completed */
	int code;          /* MPI's, from posting or completing */
	MPI_Status status; /* valid when completed in MPI */
	bool completed;    /* nothing left to do in MPI; status and code are set */
	bool local;        /* unknown to the scheduler: can always complete */

	bool persistent;
	bool active;       /* a persistent request: started and not completed */
	bool was_reported; /* MPI_Request_get_status has reported it complete */
	uint16_t made_by;  /* enum mpi_call that gave it to the program; 0: none did */
	uint64_t made_at;  /* return address of that call */
	bool outlives;     /* the program continues before the operation is complete */
	bool awaited;      /* the program waits for its completion, and for nothing less */
	bool staged;       /* received into a staging buffer, not yet delivered (staging.h) */
	bool unattended;   /* the program holds no handle; freed when complete */

	uint32_t place; /* among messages of its kind, from 1; 0: not counted (awaited.h) */
	bool direct;    /* a send: posted from the program's buffer; its receiver waits for it */

	struct buffer_checksum checksum; /* of its buffer */
	struct staging staging;          /* of a posted receive */
	bool must_copy;   /* the program's buffer will be overwritten (MPI_Sendrecv_replace) */
	bool held;        /* a send whose call waits for the scheduler */
	bool synchronous; /* a send: complete in MPI when it is matched */
	bool copied;      /* the message: the program need not wait for MPI */
	void *copy;       /* owned; NULL if there are no bytes */
	struct buffer_room buffered; /* its part of the attached buffer */
	const struct request_actions *actions;
	void *closure;
	struct request *halves[2]; /* of a pair, owned: send, receive */

	struct request *next_named, *next_unattended, *next_moving, *previous_moving;
	struct request *next_arriving;
	struct request *next_unposted, *previous_unposted;
};

#endif
