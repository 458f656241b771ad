/* A message that is longer than the receive has room for, if the wrong one comes first. */
#include "../check.h"

int main(int argc, char **argv)
{
	MPI_Request request;
	int data[4] = {0};

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Irecv(data, 2, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &request); /* two */
		MPI_Wait(&request, IGNORE);                                      /* truncated */
		MPI_Recv(data, 4, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	} else {
		MPI_Send(data, 2 * rank, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
