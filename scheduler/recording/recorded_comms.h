/* The communicators of a recorded run. A log has handles, which mean something to its rank alone:
 * here they become communicators that ranks share. Pure. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_COMMS_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_COMMS_H

#include <glib.h>
#include <stdbool.h>

#include "recorded_matches.h"

struct recorded_comm {
	guint64 number;     /* from 1, which is MPI_COMM_WORLD */
	GArray *members[2]; /* gint32: ranks in MPI_COMM_WORLD, by rank; [1]: of an
	                     * intercommunicator, else NULL */
	const char *name;   /* interned */
	const char *group;  /* as in struct record_call; interned */
};

struct recorded_comms;

/* Has MPI_COMM_WORLD of that size, and each rank's MPI_COMM_SELF. */
struct recorded_comms *recorded_comms_new(int ranks);
void recorded_comms_free(struct recorded_comms *comms); /* NULL is legal */

const struct recorded_comm *recorded_comms_world(const struct recorded_comms *comms);

/* The communicator with this number; NULL: there is none. */
const struct recorded_comm *recorded_comms_at(const struct recorded_comms *comms, guint64 number);

/* What a handle is at present; NULL: the recording does not tell. */
const struct recorded_comm *recorded_comms_find(const struct recorded_comms *comms, int rank,
                                                guint32 handle);

/* Takes over what a call of the rank has made, if it is one that makes a communicator. All calls of
 * a rank are to be given in order. `place`: of the call, for the name. Returns the communicator, or
 * NULL: it has made none. */
const struct recorded_comm *recorded_comms_make(struct recorded_comms *comms, int rank,
                                                guint32 function,
                                                const struct recorded_details *details,
                                                const char *place);

/* Whether a function makes a communicator, together with other ranks. */
bool recorded_comms_is_making(guint32 function);

bool recorded_comm_has(const struct recorded_comm *comm, int rank);
/* The rank in MPI_COMM_WORLD of what this rank names `peer`: of the other group of an
 * intercommunicator. -1: there is no such rank. */
int recorded_comm_to_world(const struct recorded_comm *comm, int rank, int peer);

#endif
