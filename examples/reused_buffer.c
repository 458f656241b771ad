/* A buffer that is reused too early.
 *
 * Rank 0 sends each rank its number, and writes the next number into the same buffer without
 * waiting. MPI usually copies small messages at once, so the program works until the messages
 * grow. */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Request requests[64];
	int rank, size, number;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			number = 100 + i;
			MPI_Isend(&number, 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i]);
		}
		MPI_Waitall(size - 1, requests + 1, MPI_STATUSES_IGNORE);
	} else {
		MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
