/* What the members of a collective must agree on: equal reductions, and data of which the amount
 * and type signature that a member gives to another are those that this one expects of it (MPI
 * 3.1, section 5.1). */
#ifndef MATCHPOINT_SHIM_COLLECTIVE_SIGN_H
#define MATCHPOINT_SHIM_COLLECTIVE_SIGN_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "wire.h"

struct collective_signature {
	bool sound;     /* false: an argument is invalid, and MPI will say which */
	uint64_t bytes; /* of this rank's contribution, to each where it is the same for all */
	struct wire_types types;
	/* to be compared, as in struct wire_op; the arrays are owned */
	bool same_data;
	uint8_t reduction;
	uint64_t counts;
	struct wire_side sends, receives;
};
#define COLLECTIVE_UNSIGNED ((struct collective_signature){ .sound = true })

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
};

struct collective_exchange {
	enum collective_flow flow;
	int root; /* where there is one */
	struct collective_data send, recv; /* of MPI_Bcast both are its buffer */
};

struct collective_signature
collective_sign_exchange(MPI_Comm comm, const struct collective_exchange *exchange);

/* Reductions (root: COLLECTIVE_NO_ROOT where there is none); those whose result is scattered, in
 * blocks of one size or of several. */
struct collective_signature collective_sign_reduction(MPI_Comm comm, int root, int count,
                                                      MPI_Datatype type, MPI_Op op);
/* The same where all members have both buffers, which must not be one. */
struct collective_signature collective_sign_apart(MPI_Comm comm, const void *sendbuf,
                                                  const void *recvbuf, int count,
                                                  struct collective_signature signature);
struct collective_signature collective_sign_block(MPI_Comm comm, int count, MPI_Datatype type,
                                                  MPI_Op op);
struct collective_signature collective_sign_counts(MPI_Comm comm, const int *counts,
                                                   MPI_Datatype type, MPI_Op op);

#endif
