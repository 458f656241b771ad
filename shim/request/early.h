/* Collectives whose members need not wait for all: data goes on the shadow communicator, in the
 * order in which this rank calls. A member that begins (a root of Bcast) or only contributes (to
 * Gather, Reduce, Scan) sends copies and is done; one that receives posts that at once, and its
 * request is over when all it has posted is. The same serves blocking, nonblocking and persistent
 * calls. Each member depends on nobody but those whose data it needs then, as the standard has it
 * (MPI 3.1, section 5.1), and not on the members of a tree. */
#ifndef MATCHPOINT_SHIM_REQUEST_EARLY_H
#define MATCHPOINT_SHIM_REQUEST_EARLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "background.h"
#include "shim/objects/communicator.h"
#include "staging.h"

/* What is posted to the library and must be over. */
struct early_post {
	MPI_Request request;
	struct staging staging; /* of a receive */
};

/* A call under way. */
struct early {
	const struct communicator *communicator;
	int tag;                  /* on the shadow */
	struct early_post *posts; /* owned */
	int count, next;
	int code;                     /* MPI's, the first that is not MPI_SUCCESS */
	int (*finish)(void *state);   /* optional: when all is over without an error; MPI's code */
	void (*release)(void *state); /* optional */
	void *state;
	size_t bytes;    /* sent, in the background */
	unsigned before; /* incomplete requests when it began */
};

/* Whether this collective goes that way on the communicator, freed or not: not where everybody
 * waits for all, nor on an intercommunicator, nor alone; nor persistent reductions, which the
 * library carries out, and which each member may start in another order. */
bool early_applies(unsigned function, MPI_Comm comm);

/* What the calls of one function send on the shadow to one member arrives in their order; a
 * persistent collective has a tag of its own (early_plan_tag, when all make it), others their
 * function. */
void early_begin(struct early *early, MPI_Comm comm, int tag);
int early_plan_tag(struct communicator *communicator);

/* For what moves the data of each collective (calls/collective_early.h). Room for so many more
 * posts. MPI's code. */
int early_reserve(struct early *early, int count);
int early_receive(struct early *early, void *data, int count, MPI_Datatype type, int source);
int early_send(struct early *early, struct packed *packed, int destination);
/* Posted by the caller, room is reserved. */
void early_add(struct early *early, MPI_Request request);

/* The posting has ended with this code of MPI's; what is posted is waited for. MPI's code. */
int early_complete(struct early *early, int code);

/* The same for a request of the program's, one of the library's after the other: *ret_real is the
 * one to wait for next, whose code and status are passed to early_advance, or MPI_REQUEST_NULL when
 * all is over, with the code of all. */
int early_advance(struct early *early, int code, const MPI_Status *status, MPI_Request *ret_real);

#endif
