/* Each rank prints: the first lines which message came first, the last one nothing that depends on
 * it. So output that is lost or cut is seen at any rank. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size, from, first = -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	fprintf(stderr, "rank %d begins\n", rank);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (first < 0)
			first = from;
	}
	printf("rank %d, first %d\n", rank, first);
	MPI_Barrier(MPI_COMM_WORLD);
	printf("rank %d ends\n", rank);
	MPI_Finalize();
	return 0;
}
