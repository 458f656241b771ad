/* The members of a communicator, for the modules that need them. Others use communicator.h. */
#ifndef MATCHPOINT_SHIM_OBJECTS_COMMUNICATOR_INTERNAL_H
#define MATCHPOINT_SHIM_OBJECTS_COMMUNICATOR_INTERNAL_H

#include "communicator.h"

struct communicator {
	MPI_Comm handle;
	uint64_t number;
	bool is_inter;
	int rank;         /* of this process in the local group */
	int size;         /* of the local group */
	int remote_size;  /* of the group that messages go to; of an intracommunicator, its own */
	int *local;       /* world ranks */
	int *remote;      /* world ranks of an intercommunicator's remote group; otherwise NULL */
	MPI_Comm shadow;  /* MPI_COMM_NULL: none is needed */
	bool uses_shadow; /* data may be under way on it */
	unsigned plans;   /* persistent collectives made so far */
	uint64_t proofs;  /* collectives that could go ahead so far (calls/collective_proven.h) */
	unsigned idups;   /* nonblocking duplicates made so far, of what it is a copy of, too */
	char *name;       /* how it was created */

	MPI_Errhandler handler; /* the program's; a reference is held unless it is predefined */

	unsigned holds; /* operations of the shim that will still use `handle` */
	bool freed;     /* by the program */
	struct communicator *next;
};

#endif
