/* Waitany and Waitsome with receives that name their sources; Cancel of one with MPI_ANY_SOURCE. */
#include "../check.h"

static void waitany(MPI_Request *requests, int *values)
{
	int seen = 0;

	for (int i = 1; i < size; i++) {
		int index;

		MPI_Waitany(size - 1, requests, &index, IGNORE);
		CHECK(index >= 0 && index < size - 1 && values[index] == index + 1);
		CHECK(requests[index] == MPI_REQUEST_NULL && !(seen & 1 << index));
		seen |= 1 << index;
	}
}

static void waitsome(MPI_Request *requests, int *values)
{
	int left = size - 1;

	while (left > 0) {
		int count, indices[8];

		MPI_Waitsome(size - 1, requests, &count, indices, MPI_STATUSES_IGNORE);
		CHECK(count > 0 && count <= left);
		for (int i = 0; i < count; i++)
			CHECK(values[indices[i]] == indices[i] + 1);
		left -= count;
	}
}

int main(int argc, char **argv)
{
	MPI_Request requests[8], request;
	MPI_Status status;
	int values[8], cancelled;

	start(&argc, &argv);
	for (int round = 0; round < 2; round++) {
		if (rank == 0) {
			for (int i = 1; i < size; i++)
				MPI_Irecv(&values[i - 1], 1, MPI_INT, i, round, WORLD,
				          &requests[i - 1]);
			(round == 0 ? waitany : waitsome)(requests, values);
		} else {
			MPI_Isend(&rank, 1, MPI_INT, 0, round, WORLD, &request);
			MPI_Wait(&request, IGNORE);
		}
	}
	MPI_Irecv(values, 1, MPI_INT, MPI_ANY_SOURCE, 99, WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &cancelled);
	CHECK(cancelled);
	MPI_Finalize();
	return 0;
}
