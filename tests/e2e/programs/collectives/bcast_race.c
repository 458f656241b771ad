/* A root may leave a broadcast before the others have entered it, so its message can overtake. With
 * --collectives=sync it cannot. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value = 0;

	start(&argc, &argv);
	if (rank == 1) {
		MPI_Request request;
		int first;

		MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &request);
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
		MPI_Wait(&request, IGNORE);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	} else if (rank == 2) {
		MPI_Send(&rank, 1, MPI_INT, 1, 0, WORLD);
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
	} else {
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
		MPI_Send(&rank, 1, MPI_INT, 1, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
