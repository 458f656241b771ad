/* The arguments that members of a collective must agree on. Reductions must be equal. Amount and
 * type signature of the data that one member sends to another must be those that the other expects
 * (MPI 3.1, section 5.1). */
#ifndef MATCHPOINT_SHIM_CALLS_COLLECTIVE_SIGN_H
#define MATCHPOINT_SHIM_CALLS_COLLECTIVE_SIGN_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"

#define COLLECTIVE_NO_ROOT (-99) /* instead of a root */

struct collective_exchange;

/* The buffers of a reduction, as in MPI's arguments. */
struct collective_reduced {
	const void *send, *recv;
	int count;
	bool is_block;     /* each member gets a block of `count` elements */
	const int *counts; /* each member gets a block of its own size; NULL: neither of both */
	MPI_Datatype type;
};

struct collective_signature {
	bool sound;     /* false: an argument is invalid; MPI will report which */
	uint64_t bytes; /* of this rank's contribution; to each member, if it is the same for all */
	struct wire_types types;
	/* Compared by the scheduler, as in struct wire_op. The arrays are owned. */
	bool same_data;
	uint8_t reduction;
	MPI_Op op; /* of a reduction, else 0 */
	uint64_t counts;
	struct wire_side sends, receives;
	/* The arguments it was made of, if there is data. Valid during the call. */
	const struct collective_exchange *exchange;
	const struct collective_reduced *reduced;
};
#define COLLECTIVE_UNSIGNED ((struct collective_signature){.sound = true})

void collective_signature_release(struct collective_signature *signature);

/* Which members send data to which. */
enum collective_flow {
	COLLECTIVE_FROM_ROOT,
	COLLECTIVE_TO_ROOT,
	COLLECTIVE_TO_ALL,
	COLLECTIVE_TO_NEIGHBORS,
};

/* The arguments of one direction, as in MPI. */
struct collective_data {
	const void *buffer;
	bool is_each; /* one count for each: `counts`, or NULL if that is not significant */
	int count;
	const int *counts;
	MPI_Datatype type;
	const MPI_Datatype *types; /* one for each; NULL: `type` for all */
	/* Where each part begins: in extents of `type`, or with `types` in bytes. Both NULL: the
	 * parts are contiguous. */
	const int *displacements;
	const MPI_Aint *addresses;
};

struct collective_exchange {
	enum collective_flow flow;
	int root;                          /* if there is one */
	struct collective_data send, recv; /* of MPI_Bcast both are its buffer */
};

struct collective_signature collective_sign_exchange(MPI_Comm comm,
                                                     const struct collective_exchange *exchange);

/* As in MPI: each member gives data. The root, or without a root each member, has another buffer
 * for the result. */
struct collective_buffers {
	const void *send, *recv;
};

/* Reductions (`root` COLLECTIVE_NO_ROOT: there is none), and those with a scattered result, in
 * blocks of one size or of several. */
struct collective_signature collective_sign_reduction(MPI_Comm comm, int root,
                                                      struct collective_buffers buffers, int count,
                                                      MPI_Datatype type, MPI_Op op);
struct collective_signature collective_sign_block(MPI_Comm comm, struct collective_buffers buffers,
                                                  int count, MPI_Datatype type, MPI_Op op);
struct collective_signature collective_sign_counts(MPI_Comm comm, struct collective_buffers buffers,
                                                   const int *counts, MPI_Datatype type, MPI_Op op);
/* The same signature with its buffers. */
struct collective_signature collective_sign_buffers(struct collective_signature signature,
                                                    const struct collective_reduced *reduced);

#endif
