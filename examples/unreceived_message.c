/* Each worker sends a message when it is done, but the master receives one message too few. With
 * buffering the error has no effect; a larger message would block for ever. With the argument
 * "all" the master receives all of them. */
#include <mpi.h>
#include <string.h>

enum { DONE = 7 };

int main(int argc, char **argv)
{
	int rank, size, steps = 0, expected;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		expected = argc > 1 && strcmp(argv[1], "all") == 0 ? size - 1 : size - 2;
		for (int i = 0; i < expected; i++)
			MPI_Recv(&steps, 1, MPI_INT, MPI_ANY_SOURCE, DONE, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, DONE, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
