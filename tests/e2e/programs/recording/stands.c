/* Rank 0 waits for a message that never comes; the others wait for it in a barrier. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Recv(&value, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
