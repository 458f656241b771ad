/* What the members of a collective must agree on: equal reductions, and data of which the amount
 * and type signature that a member gives to another are those that this one expects of it (MPI
 * 3.1, section 5.1). */
#ifndef MATCHPOINT_SHIM_CALLS_COLLECTIVE_SIGN_H
#define MATCHPOINT_SHIM_CALLS_COLLECTIVE_SIGN_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"

#define COLLECTIVE_NO_ROOT (-99) /* in place of a root */

struct collective_exchange;

/* The buffers of a reduction, as MPI has them. */
struct collective_reduced {
	const void *send, *recv;
	int count;
	bool is_block;     /* each gets a block of `count` elements */
	const int *counts; /* each gets a block of its own size; NULL: none of both */
	MPI_Datatype type;
};

struct collective_signature {
	bool sound;     /* false: an argument is invalid, and MPI will say which */
	uint64_t bytes; /* of this rank's contribution, to each where it is the same for all */
	struct wire_types types;
	/* to be compared, as in struct wire_op; the arrays are owned */
	bool same_data;
	uint8_t reduction;
	uint64_t counts;
	struct wire_side sends, receives;
	/* What it was made of, where there is data; as long as the call lasts. */
	const struct collective_exchange *exchange;
	const struct collective_reduced *reduced;
};
#define COLLECTIVE_UNSIGNED ((struct collective_signature){.sound = true})

void collective_signature_release(struct collective_signature *signature);

/* Who gives data to whom. */
enum collective_flow {
	COLLECTIVE_FROM_ROOT,
	COLLECTIVE_TO_ROOT,
	COLLECTIVE_TO_ALL,
	COLLECTIVE_TO_NEIGHBORS,
};

/* The arguments of one direction, as MPI has them. */
struct collective_data {
	const void *buffer;
	bool is_each; /* a count for each: `counts`; NULL where that is not significant */
	int count;
	const int *counts;
	MPI_Datatype type;
	const MPI_Datatype *types; /* for each; NULL: `type` */
	/* Where each begins, in extents of `type`, or bytes with `types`; both NULL: one behind the
	 * other. */
	const int *displacements;
	const MPI_Aint *addresses;
};

struct collective_exchange {
	enum collective_flow flow;
	int root;                          /* where there is one */
	struct collective_data send, recv; /* of MPI_Bcast both are its buffer */
};

struct collective_signature collective_sign_exchange(MPI_Comm comm,
                                                     const struct collective_exchange *exchange);

/* As MPI has them: each member gives data, and the root, or else each member, has a place for the
 * result, which must be another one. */
struct collective_buffers {
	const void *send, *recv;
};

/* Reductions (root: COLLECTIVE_NO_ROOT where there is none); those whose result is scattered, in
 * blocks of one size or of several. */
struct collective_signature collective_sign_reduction(MPI_Comm comm, int root,
                                                      struct collective_buffers buffers, int count,
                                                      MPI_Datatype type, MPI_Op op);
struct collective_signature collective_sign_block(MPI_Comm comm, struct collective_buffers buffers,
                                                  int count, MPI_Datatype type, MPI_Op op);
struct collective_signature collective_sign_counts(MPI_Comm comm, struct collective_buffers buffers,
                                                   const int *counts, MPI_Datatype type, MPI_Op op);
/* The same, with its buffers. */
struct collective_signature collective_sign_buffers(struct collective_signature signature,
                                                    const struct collective_reduced *reduced);

#endif
