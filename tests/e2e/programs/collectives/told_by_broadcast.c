/* Rank 0 broadcasts which rank came first; ranks 1 and 2 disagree on the consequence. For 3
 * ranks. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value = 0, first = 0;
	MPI_Status status;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		first = status.MPI_SOURCE;
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (rank == 1 && first == 2)
		MPI_Recv(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, &status);
	if (rank == 2 && first == 1)
		MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	if (rank == 0 && first == 1)
		MPI_Recv(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, &status);
	MPI_Finalize();
	return 0;
}
