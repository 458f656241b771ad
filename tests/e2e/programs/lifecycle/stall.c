/* Rank 1 waits for a generalised request that is never completed, and rank 0 for a message of rank
 * 1. matchpoint cannot see why rank 1 does not return from MPI, but it does not wait for ever. */
#include "../check.h"
#include "never_completed.h"

int main(int argc, char **argv)
{
	MPI_Request request;
	int value;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, IGNORE);
	} else {
		request = never_completed();
		MPI_Wait(&request, IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
