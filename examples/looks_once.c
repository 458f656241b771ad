/* Rank 0 probes once for a message that tells it to stop. If none has arrived yet, it assumes that
 * there will be none. The message is then never received, and its sender waits unless the message
 * is buffered. For 2 ranks. */
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
