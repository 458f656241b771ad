/* Every collective, blocking and not, with MPI_IN_PLACE, before and after a choice. */
#include "../check.h"

static void blocking(void)
{
	int mine[3] = {rank, rank, rank}, all[3] = {0}, value = rank == 1 ? 42 : 0;
	int counts[] = {1, 1, 1}, places[] = {0, 1, 2};

	MPI_Bcast(&value, 1, MPI_INT, 1, WORLD);
	CHECK(value == 42);
	MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(value == 3);
	value = rank;
	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, WORLD);
	CHECK(value == 2);
	value = rank;
	MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &value, &value, 1, MPI_INT, MPI_SUM, 0, WORLD);
	CHECK(rank != 0 || value == 3);
	MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 2, WORLD);
	CHECK(rank != 2 || (all[0] == 0 && all[1] == 1 && all[2] == 2));
	MPI_Gatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, 0, WORLD);
	CHECK(rank != 0 || all[2] == 2);
	MPI_Scatter(mine, 1, MPI_INT, &value, 1, MPI_INT, 1, WORLD);
	CHECK(value == 1);
	MPI_Scatterv(mine, counts, places, MPI_INT, &value, 1, MPI_INT, 2, WORLD);
	CHECK(value == 2);
	MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, WORLD);
	CHECK(all[0] == 0 && all[1] == 1 && all[2] == 2);
	MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, WORLD);
	CHECK(all[2] == 2);
	MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, WORLD);
	CHECK(all[0] == 0 && all[1] == 1 && all[2] == 2);
	MPI_Alltoallv(mine, counts, places, MPI_INT, all, counts, places, MPI_INT, WORLD);
	CHECK(all[1] == 1);
	MPI_Scan(&rank, &value, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(value == rank * (rank + 1) / 2);
	MPI_Exscan(&rank, &value, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(rank != 2 || value == 1);
	MPI_Reduce_scatter_block(mine, &value, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(value == 3);
	MPI_Reduce_scatter(mine, &value, counts, MPI_INT, MPI_SUM, WORLD);
	CHECK(value == 3);
}

static void nonblocking(void)
{
	MPI_Request requests[6];
	int value = rank == 0 ? 5 : 0, sum, all[3] = {0}, mine[3] = {rank, rank, rank}, scan,
	    reduced;

	MPI_Ibcast(&value, 1, MPI_INT, 0, WORLD, &requests[0]);
	MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD, &requests[1]);
	MPI_Ialltoall(mine, 1, MPI_INT, all, 1, MPI_INT, WORLD, &requests[2]);
	MPI_Iscan(&rank, &scan, 1, MPI_INT, MPI_SUM, WORLD, &requests[3]);
	MPI_Ireduce(&rank, &reduced, 1, MPI_INT, MPI_SUM, 1, WORLD, &requests[4]);
	MPI_Ibarrier(WORLD, &requests[5]);
	MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
	CHECK(value == 5 && sum == 3 && all[2] == 2 && scan == rank * (rank + 1) / 2);
	CHECK(rank != 1 || reduced == 3);
}

int main(int argc, char **argv)
{
	int value;

	start(&argc, &argv);
	blocking();
	nonblocking();
	if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	blocking();
	nonblocking();
	MPI_Finalize();
	return 0;
}
