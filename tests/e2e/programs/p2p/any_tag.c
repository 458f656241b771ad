/* Messages match in order: a receive with MPI_ANY_TAG takes the earliest message of a sender, one
 * with a named tag may pass over it. Also MPI_PROC_NULL and empty messages. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value = -1, count;
	MPI_Status status;

	start(&argc, &argv);
	MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0);
	MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
	MPI_Sendrecv(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0,
	             WORLD, &status);
	CHECK(value == -1);
	if (rank == 1) {
		MPI_Request requests[3];

		for (int i = 0; i < 3; i++)
			MPI_Isend(&i, 0, MPI_INT, 0, i, WORLD, &requests[i]);
		MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
	} else if (rank == 0) {
		int expected[] = {1, 0, 2};

		for (int i = 0; i < 3; i++) {
			MPI_Recv(NULL, 0, MPI_INT, i == 2 ? 1 : MPI_ANY_SOURCE,
			         i == 0 ? 1 : MPI_ANY_TAG, WORLD, &status);
			MPI_Get_count(&status, MPI_INT, &count);
			CHECK(status.MPI_TAG == expected[i] && count == 0);
			CHECK(status.MPI_SOURCE == 1);
		}
	}
	value = rank;
	MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, WORLD, &status);
	CHECK(value == 1 - rank);
	MPI_Finalize();
	return 0;
}
