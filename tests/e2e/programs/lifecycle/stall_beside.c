/* Rank 3 waits for a generalised request that is never completed, while rank 0 has a choice between
 * two messages. matchpoint cannot see that rank 3 will not return, so the world is not at rest. */
#include "../check.h"
#include "never_completed.h"

int main(int argc, char **argv)
{
	MPI_Request request;
	int value;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		MPI_Recv(&value, 1, MPI_INT, 3, 0, WORLD, IGNORE);
	} else if (rank == 3) {
		request = never_completed();
		MPI_Wait(&request, IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
