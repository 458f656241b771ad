/* Rank 0 looks once whether it is told to stop, and believes that there is nothing to come when
 * nothing has come yet: the message stays where it is, and its sender waits if it is not buffered.
 * For 2 ranks. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, stop = 0, there = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Iprobe(1, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (there)
			MPI_Recv(&stop, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
