/* The requests that the program holds. What the program gets is a number of the shim's own
 * (0x2d000000 | index: kind bits that MPICH gives to no valid handle); the MPI library's request
 * behind it exists only once the scheduler has bound it. Requests of the library's own (MPI-IO,
 * Rput, generalised requests) are foreign here and pass through.
 *
 * An operation is known by its name (call, sub) to the scheduler, also when the program holds no
 * request for it: a blocking receive or a probe is a request for the duration of the call. */
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
	REQUEST_PROBE,      /* of a probe or mprobe: BIND only fills in bound_peer and bound_tag */
	REQUEST_COLLECTIVE, /* nonblocking and persistent collectives, Comm_idup */
	REQUEST_PAIR,       /* of a send and a receive (MPI_Isendrecv) */
	REQUEST_PARTITIONED,
};

/* How a nonblocking collective, or a send that is held, is given to the library, and what is to be
 * done when it is over. */
struct request_actions {
	/* Upon BIND. MPI's code; *ret_real is the library's request. */
	int (*post)(void *closure, MPI_Request *ret_real);
	/* Optional: upon the end of the library's request, with its code and status. *ret_real is
	 * another one that must be over too, or MPI_REQUEST_NULL; then the code of all. */
	int (*advance)(void *closure, int code, const MPI_Status *status, MPI_Request *ret_real);
	/* Optional: once, when the request is over (code: MPI's); frees the closure. */
	void (*over)(void *closure, int code);
	/* Of a persistent request instead: when the program has freed it; frees the closure. */
	void (*release)(void *closure);
	/* Optional: whether something is missing that only this rank itself can do. */
	bool (*waits)(const void *closure);
};

struct request; /* request_internal.h */

/* A request that is active and in the program's hands; `name.call` 0 for one that the scheduler
 * does not know. NULL: out of memory. */
struct request *request_new(enum request_kind kind, struct wire_name name, MPI_Comm comm);

/* A nonblocking collective. Not posted before BIND. */
struct request *request_new_collective(struct wire_name name, MPI_Comm comm,
                                       const struct request_actions *actions, void *closure);

/* Takes over both. NULL: out of memory. */
struct request *request_new_pair(struct request *send, struct request *receive);

/* Under which name the scheduler is asked for it: of a pair, that of the half that came last. */
struct wire_name request_asked_name(const struct request *request);

/* What the program sees. */
MPI_Request request_handle(const struct request *request);
/* The request of a handle, or NULL when it is foreign (or MPI_REQUEST_NULL). */
struct request *request_find(MPI_Request handle);

/* One of the library's own, persistent and never started: stands for one of the shim's in a call
 * that the library is to refuse, in its own words. */
MPI_Request request_inactive(void);

/* The call of the program's, at that return address, that gave it to the program. */
void request_note_maker(struct request *request, enum mpi_call function, const void *site);

/* It becomes one that is started again and again; it is not active. */
void request_make_persistent(struct request *request);
/* A persistent one is started under a name of its own. 0, or -1: out of memory. */
int request_start(struct request *request, struct wire_name name);
/* Whether the scheduler does not know of it: it can always complete. */
bool request_is_local(const struct request *request);
enum request_kind request_kind_of(const struct request *request);
MPI_Comm request_comm(const struct request *request);
/* Whether it is persistent, and not active. */
bool request_may_start(const struct request *request);
/* What its actions are given. */
void *request_closure(const struct request *request);

/* Where it lies. */
struct memory_range request_memory(const struct request *request);

/* Gives another name (call 0: none). 0, or -1: out of memory. */
int request_rename(struct request *request, struct wire_name name);

/* This request of the library's is under way for it, without BIND. */
void request_carry(struct request *request, MPI_Request real);
/* `real` was filled in by a call to the library that returned this code. */
void request_posted(struct request *request, int code);

/* Gives it to the library now; BIND will change nothing. */
void request_post(struct request *request);

/* BIND: posts the receive, collective or held send of this name to the library. What a receive that
 * outlives its call brings is seen by the program when it is complete, unless it is waiting for
 * that; or from request_let_arrive on, if BIND comes once more with WIRE_ARRIVES. */
void request_bind(struct wire_name name, int source, int tag);

/* Brings in the data of all those that are to arrive now. */
void request_let_arrive(void);

/* The scheduler has let the request complete: completes it in the library. Fills in completed,
 * status and code, and returns the code. */
int request_complete(struct request *request);

/* Cancelled, and not matched before. */
void request_withdraw(struct request *request);

/* After request_complete, once the program has been told: a persistent request becomes inactive,
 * another one is gone. */
void request_retire(struct request *request);

/* The program holds no handle any more. What is still under way goes on. */
void request_abandon(struct request *request);
/* Of a request that is over. */
void request_release(struct request *request);

/* Drives MPI's progress, and reaps abandoned requests that are over. */
void request_progress(void);
/* Requests that are posted to the library and not yet known to be complete. */
unsigned request_incomplete(void);
/* Those of them that have found their peer, receives and large sends: data is moving, and quickly
 * if both ranks drive it. */
unsigned request_moving(void);

/* Those that belong to a call under way, or that the program holds. */
unsigned request_attended(void);

/* Those that the program still holds, each told once, as a list of objects.h, malloc'ed. NULL:
 * none, or out of memory. */
struct wire_left *request_left(uint32_t *ret_count);

/* The requests as part of the rank's state (state.h): what each handle stands for, and which come
 * next. Not how far the library is with them. */
void request_add_state(void (*add)(void *user, const void *bytes, size_t size), void *user);

/* MPI 3.1, section 3.7.3: source MPI_ANY_SOURCE, tag MPI_ANY_TAG, no error, count 0. */
MPI_Status request_empty_status(void);
/* Copies all but MPI_ERROR, as calls with a single status must; ret may be MPI_STATUS_IGNORE. */
void request_store_status(MPI_Status *ret, const MPI_Status *status);
/* Stores the empty status (MPI 3.1, section 3.7.3) as the library does where there is no active
 * request: MPICH's releases do not agree on whether that has an MPI_ERROR. */
void request_store_empty(MPI_Status *ret);
/* What MPICH leaves in the status of a completed request: of a send only whether it was
 * cancelled. */
void request_tell_status(MPI_Status *ret, const struct request *request);

#endif
