/* The correct twin of examples/first_answer.c: worker 2 may continue, whichever was first. */
#include "../check.h"

int main(int argc, char **argv)
{
	int answers[2], first;
	MPI_Request requests[2];

	start(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Irecv(&answers[i], 1, MPI_INT, i + 1, 0, WORLD, &requests[i]);
		MPI_Waitany(2, requests, &first, IGNORE);
		MPI_Wait(&requests[1 - first], IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 2, 1, WORLD);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
		if (rank == 2)
			MPI_Recv(&rank, 1, MPI_INT, 0, 1, WORLD, IGNORE);
	}
	MPI_Finalize();
	return 0;
}
