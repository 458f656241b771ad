/* Every collective on an intracommunicator: blocking, nonblocking and persistent, with small and
 * large counts. */
#include "../all_forms.h"

static void from_one(MPI_Comm comm)
{
	NOW(MPI_Bcast(in, 3, MPI_INT, 1, comm));
	NOW(MPI_Bcast_c(in, 3, MPI_INT, 1, comm));
	LATER(MPI_Ibcast(in, 3, MPI_INT, 1, comm, &request));
	LATER(MPI_Ibcast_c(in, 3, MPI_INT, 1, comm, &request));
	AGAIN(MPI_Bcast_init(in, 3, MPI_INT, 1, comm, NO_INFO, &request));
	AGAIN(MPI_Bcast_init_c(in, 3, MPI_INT, 1, comm, NO_INFO, &request));
	NOW(MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, 2, comm));
	NOW(MPI_Scatter_c(in, 2, MPI_INT, out, 2, MPI_INT, 2, comm));
	LATER(MPI_Iscatter(in, 2, MPI_INT, out, 2, MPI_INT, 2, comm, &request));
	LATER(MPI_Iscatter_c(in, 2, MPI_INT, out, 2, MPI_INT, 2, comm, &request));
	ONCE(MPI_Scatter_init(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm, NO_INFO, &request));
	ONCE(MPI_Scatter_init_c(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm, NO_INFO, &request));
	NOW(MPI_Scatterv(in, n, at, MPI_INT, out, n[rank], MPI_INT, 0, comm));
	NOW(MPI_Scatterv_c(in, n_c, at_c, MPI_INT, out, n_c[rank], MPI_INT, 0, comm));
	LATER(MPI_Iscatterv(in, n, at, MPI_INT, out, n[rank], MPI_INT, 0, comm, &request));
	LATER(MPI_Iscatterv_c(in, n_c, at_c, MPI_INT, out, n_c[rank], MPI_INT, 0, comm, &request));
	AGAIN(MPI_Scatterv_init(in, n, at, MPI_INT, out, n[rank], MPI_INT, 0, comm, NO_INFO,
	                        &request));
	AGAIN(MPI_Scatterv_init_c(in, n_c, at_c, MPI_INT, out, n_c[rank], MPI_INT, 0, comm, NO_INFO,
	                          &request));
}

static void to_one(MPI_Comm comm)
{
	NOW(MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, 1, comm));
	NOW(MPI_Gather_c(in, 2, MPI_INT, out, 2, MPI_INT, 1, comm));
	LATER(MPI_Igather(in, 2, MPI_INT, out, 2, MPI_INT, 1, comm, &request));
	LATER(MPI_Igather_c(in, 2, MPI_INT, out, 2, MPI_INT, 1, comm, &request));
	ONCE(MPI_Gather_init(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm, NO_INFO, &request));
	ONCE(MPI_Gather_init_c(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm, NO_INFO, &request));
	NOW(MPI_Gatherv(in, n[rank], MPI_INT, out, n, at, MPI_INT, 2, comm));
	NOW(MPI_Gatherv_c(in, n_c[rank], MPI_INT, out, n_c, at_c, MPI_INT, 2, comm));
	LATER(MPI_Igatherv(in, n[rank], MPI_INT, out, n, at, MPI_INT, 2, comm, &request));
	LATER(MPI_Igatherv_c(in, n_c[rank], MPI_INT, out, n_c, at_c, MPI_INT, 2, comm, &request));
	AGAIN(MPI_Gatherv_init(in, n[rank], MPI_INT, out, n, at, MPI_INT, 2, comm, NO_INFO,
	                       &request));
	AGAIN(MPI_Gatherv_init_c(in, n_c[rank], MPI_INT, out, n_c, at_c, MPI_INT, 2, comm, NO_INFO,
	                         &request));
	NOW(MPI_Reduce(in, out, 4, MPI_INT, MPI_SUM, 1, comm));
	NOW(MPI_Reduce_c(in, out, 4, MPI_INT, MPI_SUM, 1, comm));
	LATER(MPI_Ireduce(in, out, 4, MPI_INT, MPI_SUM, 1, comm, &request));
	LATER(MPI_Ireduce_c(in, out, 4, MPI_INT, MPI_SUM, 1, comm, &request));
	AGAIN(MPI_Reduce_init(in, out, 4, MPI_INT, MPI_SUM, 1, comm, NO_INFO, &request));
	AGAIN(MPI_Reduce_init_c(in, out, 4, MPI_INT, MPI_SUM, 1, comm, NO_INFO, &request));
}

static void gathered_by_all(MPI_Comm comm)
{
	NOW(MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm));
	NOW(MPI_Allgather_c(in, 2, MPI_INT, out, 2, MPI_INT, comm));
	LATER(MPI_Iallgather(in, 2, MPI_INT, out, 2, MPI_INT, comm, &request));
	LATER(MPI_Iallgather_c(in, 2, MPI_INT, out, 2, MPI_INT, comm, &request));
	AGAIN(MPI_Allgather_init(in, 2, MPI_INT, out, 2, MPI_INT, comm, NO_INFO, &request));
	AGAIN(MPI_Allgather_init_c(in, 2, MPI_INT, out, 2, MPI_INT, comm, NO_INFO, &request));
	NOW(MPI_Allgatherv(in, n[rank], MPI_INT, out, n, at, MPI_INT, comm));
	NOW(MPI_Allgatherv_c(in, n_c[rank], MPI_INT, out, n_c, at_c, MPI_INT, comm));
	LATER(MPI_Iallgatherv(in, n[rank], MPI_INT, out, n, at, MPI_INT, comm, &request));
	LATER(MPI_Iallgatherv_c(in, n_c[rank], MPI_INT, out, n_c, at_c, MPI_INT, comm, &request));
	AGAIN(MPI_Allgatherv_init(in, n[rank], MPI_INT, out, n, at, MPI_INT, comm, NO_INFO,
	                          &request));
	AGAIN(MPI_Allgatherv_init_c(in, n_c[rank], MPI_INT, out, n_c, at_c, MPI_INT, comm, NO_INFO,
	                            &request));
}

static void exchanged(MPI_Comm comm)
{
	NOW(MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm));
	NOW(MPI_Alltoall_c(in, 2, MPI_INT, out, 2, MPI_INT, comm));
	LATER(MPI_Ialltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm, &request));
	LATER(MPI_Ialltoall_c(in, 2, MPI_INT, out, 2, MPI_INT, comm, &request));
	AGAIN(MPI_Alltoall_init(in, 2, MPI_INT, out, 2, MPI_INT, comm, NO_INFO, &request));
	AGAIN(MPI_Alltoall_init_c(in, 2, MPI_INT, out, 2, MPI_INT, comm, NO_INFO, &request));
	NOW(MPI_Alltoallv(in, two, at, MPI_INT, out, two, at, MPI_INT, comm));
	NOW(MPI_Alltoallv_c(in, two_c, at_c, MPI_INT, out, two_c, at_c, MPI_INT, comm));
	LATER(MPI_Ialltoallv(in, two, at, MPI_INT, out, two, at, MPI_INT, comm, &request));
	LATER(MPI_Ialltoallv_c(in, two_c, at_c, MPI_INT, out, two_c, at_c, MPI_INT, comm,
	                       &request));
	AGAIN(MPI_Alltoallv_init(in, two, at, MPI_INT, out, two, at, MPI_INT, comm, NO_INFO,
	                         &request));
	AGAIN(MPI_Alltoallv_init_c(in, two_c, at_c, MPI_INT, out, two_c, at_c, MPI_INT, comm,
	                           NO_INFO, &request));
	NOW(MPI_Alltoallw(in, two, bytes, types, out, two, bytes, types, comm));
	NOW(MPI_Alltoallw_c(in, two_c, bytes_c, types, out, two_c, bytes_c, types, comm));
	LATER(MPI_Ialltoallw(in, two, bytes, types, out, two, bytes, types, comm, &request));
	LATER(MPI_Ialltoallw_c(in, two_c, bytes_c, types, out, two_c, bytes_c, types, comm,
	                       &request));
	AGAIN(MPI_Alltoallw_init(in, two, bytes, types, out, two, bytes, types, comm, NO_INFO,
	                         &request));
	AGAIN(MPI_Alltoallw_init_c(in, two_c, bytes_c, types, out, two_c, bytes_c, types, comm,
	                           NO_INFO, &request));
}

static void reduced(MPI_Comm comm)
{
	NOW(MPI_Allreduce(in, out, 4, MPI_INT, MPI_MAX, comm));
	NOW(MPI_Allreduce_c(in, out, 4, MPI_INT, MPI_MAX, comm));
	LATER(MPI_Iallreduce(in, out, 4, MPI_INT, MPI_MAX, comm, &request));
	LATER(MPI_Iallreduce_c(in, out, 4, MPI_INT, MPI_MAX, comm, &request));
	AGAIN(MPI_Allreduce_init(in, out, 4, MPI_INT, MPI_MAX, comm, NO_INFO, &request));
	AGAIN(MPI_Allreduce_init_c(in, out, 4, MPI_INT, MPI_MAX, comm, NO_INFO, &request));
	NOW(MPI_Reduce_scatter(in, out, n, MPI_INT, MPI_SUM, comm));
	NOW(MPI_Reduce_scatter_c(in, out, n_c, MPI_INT, MPI_SUM, comm));
	LATER(MPI_Ireduce_scatter(in, out, n, MPI_INT, MPI_SUM, comm, &request));
	LATER(MPI_Ireduce_scatter_c(in, out, n_c, MPI_INT, MPI_SUM, comm, &request));
	AGAIN(MPI_Reduce_scatter_init(in, out, n, MPI_INT, MPI_SUM, comm, NO_INFO, &request));
	AGAIN(MPI_Reduce_scatter_init_c(in, out, n_c, MPI_INT, MPI_SUM, comm, NO_INFO, &request));
	NOW(MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, comm));
	NOW(MPI_Reduce_scatter_block_c(in, out, 2, MPI_INT, MPI_SUM, comm));
	LATER(MPI_Ireduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, comm, &request));
	LATER(MPI_Ireduce_scatter_block_c(in, out, 2, MPI_INT, MPI_SUM, comm, &request));
	AGAIN(MPI_Reduce_scatter_block_init(in, out, 2, MPI_INT, MPI_SUM, comm, NO_INFO, &request));
	AGAIN(MPI_Reduce_scatter_block_init_c(in, out, 2, MPI_INT, MPI_SUM, comm, NO_INFO,
	                                      &request));
}

static void reduced_up_to_here(MPI_Comm comm)
{
	NOW(MPI_Scan(in, out, 3, MPI_INT, MPI_SUM, comm));
	NOW(MPI_Scan_c(in, out, 3, MPI_INT, MPI_SUM, comm));
	LATER(MPI_Iscan(in, out, 3, MPI_INT, MPI_SUM, comm, &request));
	LATER(MPI_Iscan_c(in, out, 3, MPI_INT, MPI_SUM, comm, &request));
	AGAIN(MPI_Scan_init(in, out, 3, MPI_INT, MPI_SUM, comm, NO_INFO, &request));
	AGAIN(MPI_Scan_init_c(in, out, 3, MPI_INT, MPI_SUM, comm, NO_INFO, &request));
	NOW(MPI_Exscan(in, out, 3, MPI_INT, MPI_SUM, comm));
	NOW(MPI_Exscan_c(in, out, 3, MPI_INT, MPI_SUM, comm));
	LATER(MPI_Iexscan(in, out, 3, MPI_INT, MPI_SUM, comm, &request));
	LATER(MPI_Iexscan_c(in, out, 3, MPI_INT, MPI_SUM, comm, &request));
	AGAIN(MPI_Exscan_init(in, out, 3, MPI_INT, MPI_SUM, comm, NO_INFO, &request));
	AGAIN(MPI_Exscan_init_c(in, out, 3, MPI_INT, MPI_SUM, comm, NO_INFO, &request));
}

static void in_place(MPI_Comm comm)
{
	NOW(MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, comm));
	NOW(MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT, comm));
	NOW(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT, comm));
	NOW(MPI_Reduce(rank == 1 ? MPI_IN_PLACE : in, in, 4, MPI_INT, MPI_SUM, 1, comm));
	NOW(MPI_Gather(rank == 1 ? MPI_IN_PLACE : in, 2, MPI_INT, in, 2, MPI_INT, 1, comm));
	NOW(MPI_Scatter(in, 2, MPI_INT, rank == 2 ? MPI_IN_PLACE : in, 2, MPI_INT, 2, comm));
	NOW(MPI_Scan(MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, comm));
	NOW(MPI_Reduce_scatter_block(MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, comm));
	LATER(MPI_Iallreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, comm, &request));
	AGAIN(MPI_Allgather_init(MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT, comm, NO_INFO,
	                         &request));
}

static void barriers(MPI_Comm comm)
{
	NOW(MPI_Barrier(comm));
	LATER(MPI_Ibarrier(comm, &request));
	AGAIN(MPI_Barrier_init(comm, NO_INFO, &request));
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	barriers(WORLD);
	from_one(WORLD);
	to_one(WORLD);
	gathered_by_all(WORLD);
	exchanged(WORLD);
	reduced(WORLD);
	reduced_up_to_here(WORLD);
	in_place(WORLD);
	MPI_Finalize();
	return 0;
}
