/* Rank 0 delivers a message to rank 1; with an argument both deliver first, and wait for ever. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0 || argc > 1)
		MPI_Deliver(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	if (rank == 1 || argc > 1)
		MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
