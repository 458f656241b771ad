/* A deadlock that depends on buffering.
 *
 * Both ranks send before they receive. MPI_Send may return at once (small messages usually do), or
 * wait for the receive. The standard allows either; in the latter case no rank ever receives.
 * MPI_Sendrecv avoids it. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, mine, theirs;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank < 2) {
		mine = rank;
		MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
		MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
