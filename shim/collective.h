/* Collective operations. Who waits for whom is the scheduler's business (mpi_call_order). Where
 * not all wait for all, a rank leaves as early as it is let go (early.h). Else the library has its
 * nonblocking variant once all members have called: it is completed by testing.
 *
 * The shims of the calls that differ in nothing but their arguments are generated into
 * wrappers.c. */
#ifndef MATCHPOINT_SHIM_COLLECTIVE_H
#define MATCHPOINT_SHIM_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "communicator.h"
#include "early.h"
#include "mpi_calls.h"
#include "request.h"

/* What the members of a collective must agree on beside function and root: the data where the
 * standard asks for equal signatures, the reduction, the counts. */
struct collective_signature {
	bool sound;     /* false: an argument is invalid, and MPI will say which */
	uint64_t bytes; /* of this rank's contribution */
	struct wire_types types;
	/* to be compared, as in struct wire_op */
	bool same_data;
	uint8_t reduction;
	uint64_t counts;
};
#define COLLECTIVE_UNSIGNED ((struct collective_signature){ .sound = true })

/* Bcast. */
struct collective_signature collective_sign_data(MPI_Comm comm, int count, MPI_Datatype type);
/* Scatter (from_root) and Gather: the root sends (receives) as much to (from) each. */
struct collective_signature collective_sign_rooted(MPI_Comm comm, int root, bool from_root,
                                                   int sendcount, MPI_Datatype sendtype,
                                                   int recvcount, MPI_Datatype recvtype);
/* Allgather, Alltoall. */
struct collective_signature collective_sign_exchange(MPI_Comm comm, const void *sendbuf,
                                                     int sendcount, MPI_Datatype sendtype,
                                                     int recvcount, MPI_Datatype recvtype);
struct collective_signature collective_sign_reduction(MPI_Comm comm, int count, MPI_Datatype type,
                                                      MPI_Op op);
struct collective_signature collective_sign_counts(MPI_Comm comm, const int *counts,
                                                   MPI_Datatype type, MPI_Op op);

#define COLLECTIVE_NO_ROOT (-99) /* in place of a root */

/* Whether such a call can be made; if not, the library says what is wrong, without
 * communicating. */
bool collective_is_valid(MPI_Comm comm, int root, struct collective_signature signature);

/* A blocking collective: false when it is not valid; true when this rank may go on with it. */
bool collective_enter(const void *site, enum mpi_call function, MPI_Comm comm, int root,
                      struct collective_signature signature);

/* What a nonblocking collective needs until the library has it, and the program may free before. It
 * is the first member of the closures given to collective_start, which are malloc'ed. */
struct collective_kept {
	MPI_Datatype types[2];
	int type_count;
	int *arrays[4];
	int array_count;
	MPI_Op op;
	bool keeps_op;
	MPI_Comm comm;
	int tag; /* for early_begin */
	struct early early;
};

/* For `post`: what moves the data if the members need not wait for all, or NULL: the library. */
struct early *collective_early(struct collective_kept *kept, enum mpi_call function);

/* struct request_actions. */
int collective_advance(void *closure, int code, const MPI_Status *status, MPI_Request *ret_real);

void collective_keep_type(struct collective_kept *kept, MPI_Datatype type);
void collective_keep_op(struct collective_kept *kept, MPI_Op op);

/* Reports a nonblocking collective, and gives the program its request. It is posted upon BIND, when
 * all members have called; at once if they need not wait for all.
 * Takes over the closure. MPI's code, raised already. */
int collective_start(const void *site, enum mpi_call function, MPI_Comm comm, int root,
                     struct collective_signature signature, const struct request_actions *actions,
                     void *closure, MPI_Request *request);

/* struct request_actions: gives back what the closure keeps, and the closure. */
void collective_over(void *closure, int code);

/* What the scheduler is told of a collective, without a name. `function` is that of a persistent
 * one, else 0. */
struct wire_op collective_op(MPI_Comm comm, int root, struct collective_signature signature,
                             uint16_t function);

/* A persistent collective: the first member of the closure of its request, which is malloc'ed. */
struct collective_plan {
	struct collective_kept kept;
	struct wire_op op; /* of each start but for the name; filled in by the caller */
};

/* Gives the program its request. Takes over the plan. MPI's code. */
int collective_plan(struct collective_plan *plan, MPI_Comm comm,
                    const struct request_actions *actions, MPI_Request *ret_handle);

/* struct request_actions. */
void collective_plan_release(void *closure);

/* A start of it, under this name. MPI's code. */
int collective_plan_start(struct request *request, struct wire_name name, struct wire_op *ret_op);

#endif
