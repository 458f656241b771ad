/* Rank 0 ends normally except for its exit status, which depends on the order. */
#include "../check.h"

int main(int argc, char **argv)
{
	int first = 0, second;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		printf("first %d\n", first);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return first == 2 ? 3 : 0;
}
