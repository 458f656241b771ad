/* Rank 0 crashes when rank 2's message comes first. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value, *nowhere = NULL;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		if (value == 2)
			*(volatile int *)nowhere = 1;
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
