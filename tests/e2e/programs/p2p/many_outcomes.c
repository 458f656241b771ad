/* Rank 0 prints the order of the others' messages: more outcomes than matchpoint distinguishes. */
#include "../check.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	MPI_Status status;
	int value;

	start(&argc, &argv);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &status);
		printf("%d\n", status.MPI_SOURCE);
	}
	if (rank != 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	MPI_Finalize();
	return 0;
}
