/* A buffer that is used again too early.
 *
 * Rank 0 sends each rank its number, and does not wait before it writes the next one into the same
 * buffer. MPI copies messages as small as this at once, mostly, so that it goes well until they
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
