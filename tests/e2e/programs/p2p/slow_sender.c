/* The message that rank 0's first receive could also take is sent only after that receive has taken
 * another: a late alternative, added by a revisit. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value, first, second;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Request request;

		MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &request);
		MPI_Send(&rank, 1, MPI_INT, 2, 1, WORLD);
		MPI_Wait(&request, IGNORE);
		MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		CHECK(first + second == 3);
		printf("%d %d\n", first, second);
	} else if (rank == 1) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
		MPI_Send(&rank, 1, MPI_INT, 3, 2, WORLD);
	} else if (rank == 2) {
		MPI_Recv(&value, 1, MPI_INT, 0, 1, WORLD, IGNORE);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	} else if (rank == 3) {
		MPI_Send(&rank, 1, MPI_INT, 2, 2, WORLD);
		MPI_Recv(&value, 1, MPI_INT, 1, 2, WORLD, IGNORE);
	}
	MPI_Finalize();
	return 0;
}
