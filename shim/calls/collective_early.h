/* Moves the data of each collective whose members need not wait for all (early.h). */
#ifndef MATCHPOINT_SHIM_CALLS_COLLECTIVE_EARLY_H
#define MATCHPOINT_SHIM_CALLS_COLLECTIVE_EARLY_H

#include <mpi.h>

#include "shim/request/early.h"

/* The arguments are MPI's. MPI's code: after an error, too, what has been posted must be
 * completed. */
int early_Bcast(struct early *early, void *buffer, int count, MPI_Datatype datatype, int root);
int early_Scatter(struct early *early, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root);
int early_Scatterv(struct early *early, const void *sendbuf, const int sendcounts[],
                   const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, int root);
int early_Gather(struct early *early, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int root);
int early_Gatherv(struct early *early, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                  void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                  int root);
int early_Reduce(struct early *early, const void *sendbuf, void *recvbuf, int count,
                 MPI_Datatype datatype, MPI_Op op, int root);
int early_Scan(struct early *early, const void *sendbuf, void *recvbuf, int count,
               MPI_Datatype datatype, MPI_Op op);
int early_Exscan(struct early *early, const void *sendbuf, void *recvbuf, int count,
                 MPI_Datatype datatype, MPI_Op op);

#endif
