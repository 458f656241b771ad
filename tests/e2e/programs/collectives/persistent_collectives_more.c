/* The persistent collectives that persistent_collectives.c does not use, twice each, on a ring. */
#include "../check.h"

enum { KINDS = 14, MOST = 8 };

static MPI_Comm ring;
static int mine[MOST], ones[MOST], places[MOST], bytes[MOST], in[KINDS][MOST];
static MPI_Aint displacements[MOST];
static MPI_Datatype types[MOST];
static MPI_Request requests[KINDS];

static void prepare(void)
{
	const int periodic = 1;
	const MPI_Info none = MPI_INFO_NULL;

	MPI_Cart_create(WORLD, 1, &size, &periodic, 0, &ring);
	for (int i = 0; i < MOST; i++) {
		ones[i] = 1;
		places[i] = i;
		bytes[i] = i * (int)sizeof(int);
		displacements[i] = bytes[i];
		types[i] = MPI_INT;
	}
	MPI_Allgather_init(mine, 1, MPI_INT, in[0], 1, MPI_INT, ring, none, &requests[0]);
	MPI_Alltoallv_init(mine, ones, places, MPI_INT, in[1], ones, places, MPI_INT, ring, none,
	                   &requests[1]);
	MPI_Alltoallw_init(mine, ones, bytes, types, in[2], ones, bytes, types, ring, none,
	                   &requests[2]);
	MPI_Exscan_init(mine, in[3], 1, MPI_INT, MPI_SUM, ring, none, &requests[3]);
	MPI_Gather_init(mine, 1, MPI_INT, in[4], 1, MPI_INT, 0, ring, none, &requests[4]);
	MPI_Gatherv_init(mine, 1, MPI_INT, in[5], ones, places, MPI_INT, 0, ring, none,
	                 &requests[5]);
	MPI_Reduce_scatter_init(mine, in[6], ones, MPI_INT, MPI_SUM, ring, none, &requests[6]);
	MPI_Reduce_scatter_block_init(mine, in[7], 1, MPI_INT, MPI_SUM, ring, none, &requests[7]);
	MPI_Scatter_init(mine, 1, MPI_INT, in[8], 1, MPI_INT, 1, ring, none, &requests[8]);
	MPI_Scatterv_init(mine, ones, places, MPI_INT, in[9], 1, MPI_INT, 1, ring, none,
	                  &requests[9]);
	MPI_Neighbor_allgather_init(mine, 1, MPI_INT, in[10], 1, MPI_INT, ring, none,
	                            &requests[10]);
	MPI_Neighbor_allgatherv_init(mine, 1, MPI_INT, in[11], ones, places, MPI_INT, ring, none,
	                             &requests[11]);
	MPI_Neighbor_alltoall_init(mine, 1, MPI_INT, in[12], 1, MPI_INT, ring, none, &requests[12]);
	MPI_Neighbor_alltoallw_init(mine, ones, displacements, types, in[13], ones, displacements,
	                            types, ring, none, &requests[13]);
}

/* Rank r's mine[i] is 10 r + i + round. */
static void verify(int round)
{
	int left = (rank + size - 1) % size, sum = 0;

	for (int i = 0; i < size; i++) {
		CHECK(in[0][i] == 10 * i + round);
		CHECK(in[1][i] == 10 * i + rank + round && in[2][i] == in[1][i]);
		CHECK(rank != 0 || (in[4][i] == in[0][i] && in[5][i] == in[0][i]));
		sum += 10 * i + rank + round;
	}
	CHECK(rank == 0 || in[3][0] == 5 * rank * (rank - 1) + rank * round);
	CHECK(in[6][0] == sum && in[7][0] == sum);
	CHECK(in[8][0] == 10 + rank + round && in[9][0] == in[8][0]);
	CHECK(in[10][0] == 10 * left + round && in[11][0] == in[10][0]);
	CHECK(in[12][0] == 10 * left + 1 + round && in[13][0] == in[12][0]);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	prepare();
	MPI_Comm_free(&ring);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MOST; i++)
			mine[i] = 10 * rank + i + round;
		MPI_Startall(KINDS, requests);
		MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE);
		verify(round);
	}
	for (int i = 0; i < KINDS; i++)
		MPI_Request_free(&requests[i]);
	MPI_Finalize();
	return 0;
}
