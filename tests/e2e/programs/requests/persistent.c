/* Persistent receives with MPI_ANY_SOURCE, started twice. */
#include "../check.h"

int main(int argc, char **argv)
{
	MPI_Request requests[2];
	int values[2], value;

	start(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Recv_init(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD,
			              &requests[i]);
		for (int round = 0; round < 2; round++) {
			MPI_Startall(2, requests);
			MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
			CHECK(requests[0] != MPI_REQUEST_NULL);
			CHECK(values[0] + values[1] == 3 + 20 * round);
			MPI_Barrier(WORLD);
		}
		for (int i = 0; i < 2; i++)
			MPI_Request_free(&requests[i]);
	} else {
		MPI_Send_init(&value, 1, MPI_INT, 0, 0, WORLD, &requests[0]);
		for (int round = 0; round < 2; round++) {
			value = rank + 10 * round;
			MPI_Start(&requests[0]);
			MPI_Wait(&requests[0], IGNORE);
			MPI_Barrier(WORLD);
		}
		MPI_Request_free(&requests[0]);
	}
	MPI_Finalize();
	return 0;
}
