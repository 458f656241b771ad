/* A deadlock that depends on the order of arrival.
 *
 * Rank 0 takes a message from any source, and then one from rank 1. If the first was rank 1's,
 * rank 1 sends no second one, and rank 0 waits for ever. Usually rank 2 is first. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, value = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank < 3) {
		if (rank == 1)
			usleep(20000);
		MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
