/* Messages that a call other than MPI_Send and its kin sends or receives, under its name. Between
 * ranks of the job, past the program's communicators: `comm` may be MPI's MPI_COMM_WORLD. Each is a
 * call with a number of its own. MPI's code. */
#ifndef MATCHPOINT_SHIM_CALLS_MESSAGES_H
#define MATCHPOINT_SHIM_CALLS_MESSAGES_H

#include <mpi.h>

int message_send(void *site, unsigned function, const void *data, int bytes, int dest, int tag,
                 MPI_Comm comm);
int message_receive(void *site, unsigned function, void *data, int bytes, int source, int tag,
                    MPI_Comm comm, MPI_Status *status);
/* Does not wait. `data` must stay as it is. */
int message_leave(void *site, unsigned function, const void *data, int bytes, int dest, int tag,
                  MPI_Comm comm);
/* Asks for one from any source, as MPI_Iprobe. */
int message_look(void *site, unsigned function, int tag, MPI_Comm comm, int *ret_found,
                 MPI_Status *status);

#endif
