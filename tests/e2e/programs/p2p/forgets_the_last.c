/* Each rank that MPI_Waitany reports gets an answer; the last one only if it is the one with the
 * highest rank. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size, values[8], index;
	MPI_Request requests[8];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 1; i < size; i++)
			MPI_Irecv(&values[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i - 1]);
		for (int i = 1; i < size; i++) {
			MPI_Waitany(size - 1, requests, &index, MPI_STATUS_IGNORE);
			if (i < size - 1 || index == size - 2)
				MPI_Send(&i, 1, MPI_INT, index + 1, 1, MPI_COMM_WORLD);
		}
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Recv(&index, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
