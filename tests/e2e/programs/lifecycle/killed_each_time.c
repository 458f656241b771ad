/* Rank 0 is killed by SIGKILL if rank 2's message comes first, in every execution: the program
 * itself causes it. */
#include <mpi.h>
#include <signal.h>

int main(int argc, char **argv)
{
	int rank, first = 0, second = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank > 0) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (first == 2)
			raise(SIGKILL);
	}
	MPI_Finalize();
	return 0;
}
