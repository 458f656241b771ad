/* The requests that the program holds. The program gets a handle of the shim's (abi_own_request).
 * MPI's own request behind it exists only after the scheduler has bound it. Requests that MPI makes
 * itself (MPI-IO, Rput, generalised requests) are foreign here and pass through.
 *
 * The scheduler knows an operation by its name (call, sub), also if the program holds no request
 * for it. A blocking receive or a probe is a request for the duration of the call. */
#ifndef MATCHPOINT_SHIM_REQUEST_REQUEST_H
#define MATCHPOINT_SHIM_REQUEST_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"
#include "mpi_calls.h"
#include "shim/process/memory_range.h"

enum request_kind {
	REQUEST_SEND,
	REQUEST_RECEIVE,
	REQUEST_PROBE,      /* a probe or mprobe: BIND only fills in bound_peer and bound_tag */
	REQUEST_COLLECTIVE, /* nonblocking and persistent collectives, Comm_idup */
	REQUEST_PAIR,       /* a send and a receive (MPI_Isendrecv) */
	REQUEST_PARTITIONED,
};

/* How a nonblocking collective or a held send is passed to MPI, and what follows when it is
 * over. */
struct request_actions {
	/* Called upon BIND. Returns MPI's code; *ret_real is MPI's request. */
	int (*post)(void *closure, MPI_Request *ret_real);
	/* Optional. Called when MPI's request is over, with its code and status. *ret_real is
	 * another request that must complete too, or MPI_REQUEST_NULL; then the code of all is
	 * returned. */
	int (*advance)(void *closure, int code, const MPI_Status *status, MPI_Request *ret_real);
	/* Optional. Called once when the request is over, with MPI's code; frees the closure. */
	void (*over)(void *closure, int code);
	/* For a persistent request, instead of `over`: called when the program has freed it; frees
	 * the closure. */
	void (*release)(void *closure);
	/* Optional. A call is about to complete the request: whether the program has changed what
	 * it sends. */
	bool (*touched)(const void *closure);
	/* Optional. Called when a call of the program has completed the request. */
	void (*completed)(void *closure);
	/* Optional. If an action is missing that only this rank can do: the call that has started
	 * the request; else 0. */
	uint32_t (*waits)(const void *closure);
};

struct request; /* request_internal.h */

/* An active request that the program holds. `name.call` 0: the scheduler does not know it. NULL:
 * out of memory. */
struct request *request_new(enum request_kind kind, struct wire_name name, MPI_Comm comm);

/* A nonblocking collective. It is not posted before BIND. NULL: out of memory. */
struct request *request_new_collective(struct wire_name name, MPI_Comm comm,
                                       const struct request_actions *actions, void *closure);

/* Takes ownership of both. NULL: out of memory. */
struct request *request_new_pair(struct request *send, struct request *receive);

/* The name to wait for at the scheduler. A pair has the name of its receive, or of its send if the
 * receive is local. WIRE_NEVER: only this rank can make the request complete. */
struct wire_name request_asked_name(const struct request *request);

/* The handle that the program sees. */
MPI_Request request_handle(const struct request *request);
/* The request of a handle. NULL: the handle is foreign, or MPI_REQUEST_NULL. */
struct request *request_find(MPI_Request handle);

/* A persistent request of MPI's own, never started. It replaces a handle of the shim's in a call
 * that MPI is to refuse, so that the error is MPI's. */
MPI_Request request_inactive(void);

/* Records the call of the program, and its return address, that gave the request to the program. */
void request_note_maker(struct request *request, enum mpi_call function, const void *site);

/* Makes the request persistent; it is not active then. */
void request_make_persistent(struct request *request);
/* Starts a persistent request under a new name. 0; -1: out of memory. */
int request_start(struct request *request, struct wire_name name);
/* Whether the scheduler does not know the request. Then it can always complete. */
bool request_is_local(const struct request *request);
enum request_kind request_kind_of(const struct request *request);
MPI_Comm request_comm(const struct request *request);
/* Whether it is persistent, and not active. */
bool request_may_start(const struct request *request);
/* The argument of its actions. */
void *request_closure(const struct request *request);

/* The shim's memory for one request. */
struct memory_range request_memory(const struct request *request);

/* Gives the request another name (call 0: none). 0; -1: out of memory. */
int request_rename(struct request *request, struct wire_name name);

/* `real` is MPI's request for it, under way without BIND. */
void request_carry(struct request *request, MPI_Request real);
/* A call to MPI that returned `code` has filled in `real`. */
void request_posted(struct request *request, int code);

/* Posts it to MPI now; BIND will change nothing. */
void request_post(struct request *request);

/* A collective that was started is posted upon BIND. Until then request_collectives_wait: MPI gets
 * the collectives of a communicator in the same order in all members (MPI 3.1, section 5.12), so no
 * other may be carried out that the scheduler has not put behind it. */
void request_post_later(struct request *request);
bool request_collectives_wait(void);

/* BIND: posts the receive, collective or held send with this name to MPI.
 *
 * The data of a receive that outlives its call appears in the program's buffer when the receive is
 * complete, or earlier if the program waits for exactly that. After a second BIND with
 * WIRE_ARRIVES, it appears at the next request_let_arrive. */
void request_bind(const struct wire_bind *bind);

/* Puts the data of all receives with WIRE_ARRIVES into the program's buffers. */
void request_let_arrive(void);

/* The scheduler has allowed the request to complete: completes it in MPI. Fills in `completed`,
 * `status` and `code`; returns the code. */
int request_complete(struct request *request);

/* Tests a request that is posted to MPI. Returns whether it is complete there. */
bool request_try(struct request *request);

/* The request was cancelled before it was matched. */
void request_withdraw(struct request *request);

/* After request_complete, when the program has the result: a persistent request becomes inactive,
 * any other is freed. */
void request_retire(struct request *request);

/* The program holds no handle any more. An operation under way continues. */
void request_abandon(struct request *request);
/* Frees a request that is over. */
void request_release(struct request *request);

/* Drives MPI's progress, and frees abandoned requests that are over. */
void request_progress(void);
/* The number of requests that are posted to MPI and not known to be complete. */
unsigned request_incomplete(void);
/* The number of those whose data is moving: matched receives and large sends. They are fast if both
 * ranks drive progress. */
unsigned request_moving(void);

/* The number of requests that a call under way uses, or that the program holds. */
unsigned request_attended(void);

/* The requests that the program still holds, as a list of objects.h. Each is reported once. The
 * caller frees it; NULL: none, or out of memory. */
struct wire_left *request_left(uint32_t *ret_count);

/* In MPI_Finalize, when all ranks have called it: looks at the buffers of receives that are not
 * complete. */
void request_settle(void);

/* Adds the requests to the rank's state (state.h): what each handle means, and which handles come
 * next. MPI's progress is not part of it. */
void request_add_state(void (*add)(void *user, const void *bytes, size_t size), void *user);

/* MPI 3.1, section 3.7.3: source MPI_ANY_SOURCE, tag MPI_ANY_TAG, no error, count 0. */
MPI_Status request_empty_status(void);
/* Copies all fields except MPI_ERROR, as calls with a single status must. `ret` may be
 * MPI_STATUS_IGNORE. */
void request_store_status(MPI_Status *ret, const MPI_Status *status);
/* Stores the empty status (MPI 3.1, section 3.7.3) as MPI does if there is no active request.
 * Releases of MPICH differ in whether that sets MPI_ERROR. */
void request_store_empty(MPI_Status *ret);
/* Stores what MPICH leaves in the status of a completed request. For a send, that is only whether
 * it was cancelled. */
void request_store_result(MPI_Status *ret, const struct request *request);

#endif
