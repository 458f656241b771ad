/* The members of a communicator that a call has made. Only MPI knows them; they are in the log, for
 * reports of the recorded run. */
#ifndef MATCHPOINT_SHIM_RECORD_MEMBERS_H
#define MATCHPOINT_SHIM_RECORD_MEMBERS_H

#include "call.h"

/* Nothing, if the call has failed or *comm is MPI_COMM_NULL. The communicator must be complete: not
 * that of MPI_Comm_idup. */
void record_members(const struct record_call *call, const MPI_Comm *comm);

#endif
