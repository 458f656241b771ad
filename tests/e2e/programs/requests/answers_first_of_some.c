/* Of the requests that MPI_Waitsome reports together only the first one gets an answer. For 3
 * ranks. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, values[2], count, left = 2, indices[2];
	MPI_Request requests[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
		for (; left > 0; left -= count) {
			MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
			MPI_Send(&left, 1, MPI_INT, indices[0] + 1, 1, MPI_COMM_WORLD);
		}
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Recv(&left, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
