/* Rank 0 is right when MPI_Waitsome reports one request or all, and wrong when it reports another
 * number: two, or the number in the argument. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, size, values[8], count, indices[8];
	int wrong = argc > 1 ? atoi(argv[1]) : 2;
	MPI_Request requests[8];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 1; i < size; i++)
			MPI_Irecv(&values[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i - 1]);
		MPI_Waitsome(size - 1, requests, &count, indices, MPI_STATUSES_IGNORE);
		if (count == wrong)
			MPI_Abort(MPI_COMM_WORLD, 7);
		MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
