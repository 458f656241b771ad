/* Collective operations. Who waits for whom is the scheduler's business (mpi_call_order). Where
 * not all wait for all, a rank leaves as early as it is let go (early.h). Else the library has its
 * nonblocking variant once all members have called: it is completed by testing.
 *
 * The shims of the calls that differ in nothing but their arguments are generated into
 * wrappers.c. */
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

/* Whether such a call can be made; if not, the library says what is wrong, without
 * communicating. */
bool collective_is_valid(MPI_Comm comm, int root, const struct collective_signature *signature);

/* Whether MPI takes it where a call asks for an info object. */
bool collective_takes_info(MPI_Info info);

/* A blocking collective: false when it is not valid; true when this rank may go on with it. Takes
 * over the signature. */
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
 * Takes over closure and signature. MPI's code, raised already. */
int collective_start(const void *site, enum mpi_call function, MPI_Comm comm, int root,
                     struct collective_signature signature, const struct request_actions *actions,
                     void *closure, MPI_Request *request);

/* struct request_actions: gives back what the closure keeps, and the closure. */
void collective_over(void *closure, int code);

/* What the scheduler is told of a collective, without a name. `function` is that of a persistent
 * one, else 0. Valid as long as the signature. */
struct wire_op collective_op(MPI_Comm comm, int root, struct collective_signature signature,
                             uint16_t function);

/* What a member's call uses of its memory: NULL: nothing, or that is not known. */
struct bytes *collective_bytes(MPI_Comm comm, enum mpi_call function, int root,
                               const struct collective_signature *signature);

/* What this member gives to the others; false: nothing, or what is not one piece of memory (parts
 * with places or types of their own, in place at a root). */
bool collective_given(MPI_Comm comm, enum mpi_call function, int root,
                      const struct collective_signature *signature, struct contents_data *ret_data);

/* A persistent collective: the first member of the closure of its request, which is malloc'ed. */
struct collective_plan {
	struct collective_kept kept;
	struct collective_signature signature;
	struct wire_op op;   /* of each start but for the name; filled in by the caller, as above */
	struct bytes *bytes; /* owned; filled in by the caller */
};

/* Gives the program its request. Takes over the plan. MPI's code. */
int collective_plan(struct collective_plan *plan, MPI_Comm comm,
                    const struct request_actions *actions, MPI_Request *ret_handle);

/* struct request_actions. */
void collective_plan_release(void *closure);

/* A start of it, under this name. MPI's code. */
int collective_plan_start(struct request *request, struct wire_name name, struct wire_op *ret_op);

#endif
