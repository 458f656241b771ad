/* Persistent collectives, started several times, in another order on each rank, between other
 * collectives and receives with MPI_ANY_SOURCE. */
#include "../check.h"

enum { KINDS = 8, ROUNDS = 3 };

static int mine[8], theirs[8], sum, prefix, all[8], minimum, shared;
static MPI_Count counts[8];
static MPI_Aint places[8];

static void prepare(MPI_Request *requests)
{
	MPI_Datatype pair;

	for (int i = 0; i < size; i++) {
		counts[i] = 1;
		places[i] = size - 1 - i;
	}
	MPI_Type_contiguous(1, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Barrier_init(WORLD, MPI_INFO_NULL, &requests[0]);
	MPI_Bcast_init(&shared, 1, pair, 1, WORLD, MPI_INFO_NULL, &requests[1]);
	MPI_Type_free(&pair);
	MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &requests[2]);
	MPI_Alltoall_init(mine, 1, MPI_INT, theirs, 1, MPI_INT, WORLD, MPI_INFO_NULL, &requests[3]);
	MPI_Allgatherv_init_c(&rank, 1, MPI_INT, all, counts, places, MPI_INT, WORLD, MPI_INFO_NULL,
	                      &requests[4]);
	MPI_Scan_init(&rank, &prefix, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &requests[5]);
	MPI_Reduce_init(&rank, &minimum, 1, MPI_INT, MPI_MAX, 2, WORLD, MPI_INFO_NULL,
	                &requests[6]);
	MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &requests[7]);
}

static void verify(int round)
{
	CHECK(shared == 100 + round && sum == size * (size - 1) / 2);
	CHECK(prefix == rank * (rank + 1) / 2);
	CHECK(rank != 2 || minimum == size - 1);
	for (int i = 0; i < size; i++) {
		CHECK(all[i] == size - 1 - i);
		CHECK(theirs[i] == 10 * round + 100 * i + rank);
	}
}

int main(int argc, char **argv)
{
	MPI_Request requests[KINDS], rotated[KINDS];
	int value;

	start(&argc, &argv);
	prepare(requests);
	for (int round = 0; round < ROUNDS; round++) {
		shared = rank == 1 ? 100 + round : -1;
		sum = prefix = minimum = -1;
		for (int i = 0; i < size; i++)
			mine[i] = 10 * round + 100 * rank + i;
		for (int i = 0; i < KINDS; i++)
			rotated[i] = requests[(i + rank) % KINDS];
		if (round % 2) {
			MPI_Startall(KINDS, rotated);
		} else {
			for (int i = 0; i < KINDS; i++)
				MPI_Start(&rotated[i]);
		}
		MPI_Barrier(WORLD);
		MPI_Waitall(KINDS, rotated, MPI_STATUSES_IGNORE);
		for (int i = 0; i < KINDS; i++)
			CHECK(rotated[i] != MPI_REQUEST_NULL);
		verify(round);
		if (round == 1 && rank == 0) {
			for (int i = 1; i < size; i++)
				MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		} else if (round == 1) {
			MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
		}
	}
	for (int i = 0; i < KINDS; i++)
		MPI_Request_free(&requests[i]);
	MPI_Finalize();
	return 0;
}
