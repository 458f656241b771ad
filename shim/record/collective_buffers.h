/* Which buffers a collective reads and writes (MPI 3.1, chapter 5). Each function is called between
 * record_enter and record_run; it gives the call's buffers to the log. Arrays of counts and
 * displacements have numbers of `size` bytes: int, or those of the variants with large counts. */
#ifndef MATCHPOINT_SHIM_RECORD_COLLECTIVE_BUFFERS_H
#define MATCHPOINT_SHIM_RECORD_COLLECTIVE_BUFFERS_H

#include "call.h"

struct record_vector {
	const void *numbers;
	size_t size;
};
#define RECORD_VECTOR(array) ((struct record_vector){(array), sizeof(*(array))})

void record_bcast(struct record_call *call, void *buffer, int64_t count, MPI_Datatype type,
                  int root, MPI_Comm comm);
void record_gather(struct record_call *call, const void *sendbuf, int64_t sendcount,
                   MPI_Datatype sendtype, void *recvbuf, int64_t recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm);
void record_gatherv(struct record_call *call, const void *sendbuf, int64_t sendcount,
                    MPI_Datatype sendtype, void *recvbuf, struct record_vector recvcounts,
                    struct record_vector displs, MPI_Datatype recvtype, int root, MPI_Comm comm);
void record_scatter(struct record_call *call, const void *sendbuf, int64_t sendcount,
                    MPI_Datatype sendtype, void *recvbuf, int64_t recvcount, MPI_Datatype recvtype,
                    int root, MPI_Comm comm);
void record_scatterv(struct record_call *call, const void *sendbuf, struct record_vector sendcounts,
                     struct record_vector displs, MPI_Datatype sendtype, void *recvbuf,
                     int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
void record_allgather(struct record_call *call, const void *sendbuf, int64_t sendcount,
                      MPI_Datatype sendtype, void *recvbuf, int64_t recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm);
void record_allgatherv(struct record_call *call, const void *sendbuf, int64_t sendcount,
                       MPI_Datatype sendtype, void *recvbuf, struct record_vector recvcounts,
                       struct record_vector displs, MPI_Datatype recvtype, MPI_Comm comm);
void record_alltoall(struct record_call *call, const void *sendbuf, int64_t sendcount,
                     MPI_Datatype sendtype, void *recvbuf, int64_t recvcount, MPI_Datatype recvtype,
                     MPI_Comm comm);
void record_alltoallv(struct record_call *call, const void *sendbuf,
                      struct record_vector sendcounts, struct record_vector sdispls,
                      MPI_Datatype sendtype, void *recvbuf, struct record_vector recvcounts,
                      struct record_vector rdispls, MPI_Datatype recvtype, MPI_Comm comm);
void record_alltoallw(struct record_call *call, const void *sendbuf,
                      struct record_vector sendcounts, struct record_vector sdispls,
                      const MPI_Datatype *sendtypes, void *recvbuf, struct record_vector recvcounts,
                      struct record_vector rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm);
void record_reduce(struct record_call *call, const void *sendbuf, void *recvbuf, int64_t count,
                   MPI_Datatype type, int root, MPI_Comm comm);
/* Also for scan. */
void record_allreduce(struct record_call *call, const void *sendbuf, void *recvbuf, int64_t count,
                      MPI_Datatype type, MPI_Comm comm);
void record_exscan(struct record_call *call, const void *sendbuf, void *recvbuf, int64_t count,
                   MPI_Datatype type, MPI_Comm comm);
void record_reduce_scatter(struct record_call *call, const void *sendbuf, void *recvbuf,
                           struct record_vector recvcounts, MPI_Datatype type, MPI_Comm comm);
void record_reduce_scatter_block(struct record_call *call, const void *sendbuf, void *recvbuf,
                                 int64_t recvcount, MPI_Datatype type, MPI_Comm comm);
void record_neighbor_allgather(struct record_call *call, const void *sendbuf, int64_t sendcount,
                               MPI_Datatype sendtype, void *recvbuf, int64_t recvcount,
                               MPI_Datatype recvtype, MPI_Comm comm);
void record_neighbor_allgatherv(struct record_call *call, const void *sendbuf, int64_t sendcount,
                                MPI_Datatype sendtype, void *recvbuf,
                                struct record_vector recvcounts, struct record_vector displs,
                                MPI_Datatype recvtype, MPI_Comm comm);
void record_neighbor_alltoall(struct record_call *call, const void *sendbuf, int64_t sendcount,
                              MPI_Datatype sendtype, void *recvbuf, int64_t recvcount,
                              MPI_Datatype recvtype, MPI_Comm comm);
void record_neighbor_alltoallv(struct record_call *call, const void *sendbuf,
                               struct record_vector sendcounts, struct record_vector sdispls,
                               MPI_Datatype sendtype, void *recvbuf,
                               struct record_vector recvcounts, struct record_vector rdispls,
                               MPI_Datatype recvtype, MPI_Comm comm);
/* Displacements are in bytes: MPI_Aint. */
void record_neighbor_alltoallw(struct record_call *call, const void *sendbuf,
                               struct record_vector sendcounts, struct record_vector sdispls,
                               const MPI_Datatype *sendtypes, void *recvbuf,
                               struct record_vector recvcounts, struct record_vector rdispls,
                               const MPI_Datatype *recvtypes, MPI_Comm comm);

#endif
