/* Collective operations. The scheduler decides which members wait for which (mpi_call_order). If
 * not all wait for all, a rank leaves as soon as the scheduler lets it (early.h). Otherwise MPI
 * gets the nonblocking variant when all members have called; the shim completes it by testing.
 *
 * The shims of calls that differ only in their arguments are generated into wrappers.c. */
#ifndef MATCHPOINT_SHIM_CALLS_COLLECTIVE_H
#define MATCHPOINT_SHIM_CALLS_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "collective_sign.h"
#include "mpi_calls.h"
#include "shim/gate/contents.h"
#include "shim/objects/communicator.h"
#include "shim/request/early.h"
#include "shim/request/request.h"

/* Whether the call can be made. If not, MPI reports the error without communication. */
bool collective_is_valid(MPI_Comm comm, int root, const struct collective_signature *signature);

/* Whether MPI accepts this as an info object. */
bool collective_takes_info(MPI_Info info);

/* A blocking collective. false: it is not valid. true: this rank may continue with it. Takes
 * ownership of the signature. */
bool collective_enter(const void *site, enum mpi_call function, MPI_Comm comm, int root,
                      struct collective_signature signature);

/* What a nonblocking collective needs until it is posted to MPI, and the program may free earlier.
 * It is the first member of the closures of collective_start, which are malloc'ed. */
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

/* For `post`: the state that moves the data if members need not wait for all. NULL: MPI moves
 * it. */
struct early *collective_early(struct collective_kept *kept, enum mpi_call function);

/* For struct request_actions. */
int collective_advance(void *closure, int code, const MPI_Status *status, MPI_Request *ret_real);

void collective_keep_type(struct collective_kept *kept, MPI_Datatype type);
void collective_keep_op(struct collective_kept *kept, MPI_Op op);

/* Reports a nonblocking collective and gives the program its request. It is posted upon BIND, when
 * all members have called, or at once if they need not wait for all. Takes ownership of closure and
 * signature. MPI's code, which has been raised already. */
int collective_start(const void *site, enum mpi_call function, MPI_Comm comm, int root,
                     struct collective_signature signature, const struct request_actions *actions,
                     void *closure, MPI_Request *request);

/* For struct request_actions: releases what the closure keeps, and frees the closure. */
void collective_over(void *closure, int code);

/* The operation for the scheduler, without a name. `function`: of a persistent collective;
 * otherwise 0. Valid as long as the signature. */
struct wire_op collective_op(MPI_Comm comm, int root, struct collective_signature signature,
                             uint16_t function);

/* The bytes that a member's call uses. The caller releases them. NULL: none, or not known. */
struct bytes *collective_bytes(MPI_Comm comm, enum mpi_call function, int root,
                               const struct collective_signature *signature);

/* The data that this member gives to others. false: there is none, or it is not contiguous elements
 * of one type (parts with their own displacements or types, in place at a root). */
bool collective_given(MPI_Comm comm, enum mpi_call function, int root,
                      const struct collective_signature *signature, struct contents_data *ret_data);

/* A persistent collective: the first member of the closure of its request, which is malloc'ed. */
struct collective_plan {
	struct collective_kept kept;
	struct collective_signature signature;
	struct wire_op
		op; /* for each start, without a name; filled in by the caller with collective_op */
	struct bytes *bytes; /* owned; filled in by the caller */
};

/* Gives the program its request. Takes ownership of the plan. MPI's code. */
int collective_plan(struct collective_plan *plan, MPI_Comm comm,
                    const struct request_actions *actions, MPI_Request *ret_handle);

/* For struct request_actions. */
void collective_plan_release(void *closure);

/* Starts it under this name. MPI's code. */
int collective_plan_start(struct request *request, struct wire_name name, struct wire_op *ret_op);

#endif
