/* Two messages with one tag and different datatypes.
 *
 * Rank 1 sends the number of values, and rank 2 the duration of a step. Rank 0 assumes that the
 * number arrives first. If rank 2's message is first, the bytes of a float are read as an integer.
 * MPI reports no error, as both types have the same size. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, values = 3;
	float seconds = 0.5f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv(&values, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&seconds, 1, MPI_FLOAT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Send(&values, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	} else if (rank == 2) {
		usleep(20000);
		MPI_Send(&seconds, 1, MPI_FLOAT, 0, 7, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
