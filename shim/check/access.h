/* What this process does to windows and with them: every call that moves data, with its layout, and
 * every call that completes such calls. Gathered here and told with the next message, so that a
 * call costs no message of its own; whether two of them conflict the scheduler says
 * (scheduler/world/rma.h). */
#ifndef MATCHPOINT_SHIM_CHECK_ACCESS_H
#define MATCHPOINT_SHIM_CHECK_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"
#include "mpi_calls.h"
#include "shim/types/bytes.h"
#include "window_memory.h"

/* The arguments of a call that moves data; those that it does not have are zero, a null type. */
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
};

/* The library has taken the call; `request`: the one that it gave, or NULL. */
void access_made(const struct access_call *call, const MPI_Request *request);

/* A foreign request is complete, or was freed before. */
void access_request_done(MPI_Request request);
void access_request_freed(MPI_Request request);

/* The window is there, under that number. */
void access_window(MPI_Win window, uint64_t number);

/* MPI_Win_free begins. */
void access_window_end(const void *site, uint64_t number);

/* MPI_Win_flush and its kin, MPI_Win_sync: about to be given to the library. `target`: WIRE_ANY for
 * all. */
void access_synchronise(enum mpi_call function, const void *site, int target, MPI_Win window);

/* MPI_Win_fence begins. */
void access_fence(const void *site, int assert, MPI_Win window);

/* Any other step: a flush of all that goes to `target`, the end of an epoch. */
void access_step(enum wire_access_kind kind, enum mpi_call function, const void *site,
                 uint64_t window, int target);

/* A send, receive or collective that may use memory of a window begins; the number is for its end:
 * what it has used there, since it began, or (number 0) just now. */
uint32_t access_local_begin(uint64_t window);
/* `bytes` may be NULL: it has used none. */
void access_local_end(const struct window_use *use, uint64_t window, const struct bytes *bytes);

/* Memory of this process is attached to a dynamic window, or detached. */
void access_attach(MPI_Win window, const void *base, MPI_Aint bytes);
void access_detach(MPI_Win window, const void *base);

/* Whether something has been gathered that is not told yet. */
bool access_waits(void);

/* For gate.c: appends what has been gathered as one frame, if there is anything, and forgets it. */
void access_encode(struct wire_buffer *out);

#endif
