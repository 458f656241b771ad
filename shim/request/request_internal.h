/* What a request consists of: for those who make, post and complete them. Others ask request.h. */
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

	/* In the program's terms; a receive's `peer` and `tag` may be wildcards: see bound_peer. */
	void *data;
	int count;
	MPI_Datatype type;
	struct wire_types types; /* its signature */
	int peer;
	int tag;
	MPI_Comm comm;
	uint8_t mode; /* enum wire_send_mode */
	bool owns_type;
	bool retains_comm;

	int bound_peer, bound_tag; /* of BIND */
	bool bound;
	bool unposted;     /* a receive, started and not posted (receiving.h) */
	bool names_large;  /* it could be posted ahead of BIND */
	bool ahead;        /* it has been, and BIND has not come */
	bool moving;       /* matched, and not yet complete in the library */
	MPI_Request real;  /* MPI_REQUEST_NULL: not posted, or completed */
	int code;          /* MPI's, of posting or completing */
	MPI_Status status; /* once completed in the library */
	bool completed;    /* nothing to be done in the library; status and code are set */
	bool local;        /* unknown to the scheduler: can always complete */

	bool persistent;
	bool active;      /* of a persistent request: started and not completed */
	bool was_told;    /* by MPI_Request_get_status: complete */
	uint16_t made_by; /* enum mpi_call that gave it to the program; 0: it was never given */
	uint64_t made_at; /* return address of that call */
	bool outlives;    /* its call: the program goes on before it is complete */
	bool awaited;     /* the program waits until it is complete, and for nothing less */
	bool apart;       /* received, but not where the program sees it (staging.h) */
	bool unattended;  /* the program holds no handle any more; reaped once completed */

	struct buffer_checksum checksum; /* of its buffer */
	struct staging staging;          /* of a receive that is posted */
	bool must_copy;              /* the program's buffer will not last (MPI_Sendrecv_replace) */
	bool held;                   /* a send whose call waits for the scheduler */
	bool synchronous;            /* a send: complete in the library when it is matched */
	bool copied;                 /* the message: the program need not wait for the library */
	void *copy;                  /* owned; NULL when there are no bytes */
	struct buffer_room buffered; /* of the attached buffer */
	const struct request_actions *actions;
	void *closure;
	struct request *halves[2]; /* of a pair, owned: sends, receives */

	struct request *next_named, *next_unattended, *next_moving, *previous_moving;
	struct request *next_arriving;
	struct request *next_unposted, *previous_unposted;
};

#endif
