/* One-sided communication of this process: every call that moves data, with its layout, and every
 * call that completes such calls. They are gathered here and sent with the next message, so that a
 * call costs no message of its own. The scheduler finds conflicts (scheduler/world/rma.h). */
#ifndef MATCHPOINT_SHIM_CHECK_ACCESS_H
#define MATCHPOINT_SHIM_CHECK_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"
#include "mpi_calls.h"
#include "shim/types/bytes.h"
#include "window_memory.h"

/* The arguments of a call that moves data. Those that the call does not have are 0, NULL or a null
 * type. */
struct access_call {
	enum mpi_call function;
	const void *site; /* return address in the program */
	const void *origin, *compare;
	void *result;
	MPI_Count origin_count, result_count, target_count;
	MPI_Datatype origin_type, result_type, target_type;
	int target;
	MPI_Aint displacement;
	MPI_Op op;
	MPI_Win window;
	void *arrives;       /* where MPI puts what it fetches; NULL at first, or nothing */
	uint64_t ordered;    /* the window of which it holds words (atomic_order.h); 0: none */
	struct fetch *fetch; /* where the data lies until it arrives (fetched.h); NULL at first */
};

/* The call is about to be passed to MPI. Returns the buffer to which MPI must fetch, in place of
 * the program's (`result`, or the `origin` of MPI_Get). NULL: the call has none. */
void *access_begin(struct access_call *call);

/* MPI has refused the call. */
void access_refused(struct access_call *call);

/* MPI has taken the call. `request`: the request that it returned; NULL: the call has none. Each
 * request of an access gets a handle that no other one has. If MPI returned one handle twice
 * (MPICH does for accesses that are complete at once), *request becomes another request. */
void access_made(struct access_call *call, MPI_Request *request);

/* A request that MPI made is complete and gone, is complete and still held
 * (MPI_Request_get_status), or was freed before its completion. Requests of other calls are
 * ignored. */
void access_request_done(MPI_Request request);
void access_request_seen(MPI_Request request);
void access_request_freed(MPI_Request request);

/* A call has completed accesses in MPI, after it was announced below: what they have fetched is put
 * in the program's buffers. */
void access_arrived(void);

/* The window has been created, with that number. */
void access_window(MPI_Win window, uint64_t number);

/* MPI_Win_free begins. */
void access_window_end(const void *site, uint64_t number);

/* MPI_Win_flush, its variants, or MPI_Win_sync is about to be passed to MPI. `target`: WIRE_ANY for
 * all. */
void access_synchronise(enum mpi_call function, const void *site, int target, MPI_Win window);

/* MPI_Win_fence begins. */
void access_fence(const void *site, int assert, MPI_Win window);

/* Any other step: a flush of all accesses to `target`, the end of an epoch. */
void access_step(enum wire_access_kind kind, enum mpi_call function, const void *site,
                 uint64_t window, int target);

/* A call of the program is about to read or write these bytes of an open file. Takes ownership of
 * the parts (malloc). `is_whole`: they are all that it uses. */
struct access_to_file {
	enum mpi_call function;
	const void *site;
	uint64_t opened; /* number of the open file's communicator */
	uint64_t file;   /* the same for all ranks that have opened it */
	bool writes, is_whole;
	uint32_t part_count;
	struct wire_part *parts;
};
void access_file(const struct access_to_file *access);

/* A send, receive or collective that may use memory of a window begins. Returns a number for
 * access_local_end. */
uint32_t access_local_begin(uint64_t window);
/* The operation has used `bytes` (NULL: none) since it began, or just now if `use` has number 0. */
void access_local_end(const struct window_use *use, uint64_t window, const struct bytes *bytes);

/* Loads or stores (by the role of the bytes) of the program in a window, by the code at `site`; or
 * NULL: some that are not known. */
void access_direct(const void *site, uint64_t window, const struct bytes *bytes, bool atomic);

/* Memory of this process is attached to a dynamic window, or detached. */
void access_attach(MPI_Win window, const void *base, MPI_Aint bytes);
void access_detach(MPI_Win window, const void *base);

/* Whether gathered records wait to be sent. */
bool access_waits(void);

/* For gate.c: appends the gathered records as one frame, if there are any, and forgets them. */
void access_encode(struct wire_buffer *out);

#endif
