/* Collectives whose members need not wait for all others. The data travels on the shadow
 * communicator, in the order of this rank's calls. A member that begins (a root of Bcast) or only
 * contributes (to Gather, Reduce, Scan) sends copies and returns. A member that receives posts its
 * receives at once; its request is over when all of them are. Blocking, nonblocking and persistent
 * calls use the same code. A member depends only on those whose data it needs then, as the standard
 * requires (MPI 3.1, section 5.1), and not on the members of a tree. */
#ifndef MATCHPOINT_SHIM_REQUEST_EARLY_H
#define MATCHPOINT_SHIM_REQUEST_EARLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "background.h"
#include "shim/objects/communicator.h"
#include "staging.h"

/* A request posted to MPI that must complete. */
struct early_post {
	MPI_Request request;
	struct staging staging; /* of a receive */
};

/* A call under way. */
struct early {
	const struct communicator *communicator;
	int tag;                  /* on the shadow communicator */
	struct early_post *posts; /* owned */
	int count, next;
	int code; /* MPI's: the first that is not MPI_SUCCESS */
	int (*finish)(
		void *state); /* optional, called when all is over without an error: MPI's code */
	void (*release)(void *state); /* optional */
	void *state;
	size_t bytes;    /* sent in the background */
	unsigned before; /* incomplete requests when the call began */
};

/* Whether this collective is carried out here on the communicator, which may be freed already. Not
 * if all members have to wait for all, nor on an intercommunicator, nor in a group of one. Nor
 * persistent reductions: MPI carries those out, and members may start them in different orders. */
bool early_applies(unsigned function, MPI_Comm comm);

/* Messages on the shadow that calls of one function send to one member arrive in order. So `tag` is
 * the function. A persistent collective has its own tag from early_plan_tag, which all members
 * call. */
void early_begin(struct early *early, MPI_Comm comm, int tag);
int early_plan_tag(struct communicator *communicator);

/* For what moves the data of each collective (calls/collective_early.h). early_reserve makes room
 * for `count` more posts. MPI's code. */
int early_reserve(struct early *early, int count);
int early_receive(struct early *early, void *data, int count, MPI_Datatype type, int source);
int early_send(struct early *early, struct packed *packed, int destination);
/* Adds a request that the caller has posted; room must be reserved. */
void early_add(struct early *early, MPI_Request request);

/* Posting has ended with `code`. Waits for what is posted. MPI's code. */
int early_complete(struct early *early, int code);

/* The same for a request of the program, one request of MPI after the other. *ret_real is the next
 * to wait for; its code and status are passed to the next early_advance. MPI_REQUEST_NULL: all are
 * over; then the code of all is returned. */
int early_advance(struct early *early, int code, const MPI_Status *status, MPI_Request *ret_real);

#endif
