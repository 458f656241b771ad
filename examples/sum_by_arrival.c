/* A sum of floating-point numbers that depends on the order of arrival.
 *
 * Addition in floating point is not associative: (1e16 + 1) - 1e16 is 0, (1e16 - 1e16) + 1 is 1.
 * Rank 0 adds the parts in the order of arrival, so the program prints different results in
 * different runs. It should receive from each rank in turn, or store the parts first and add them
 * up by rank. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static const double parts[] = {0, 1e16, 1, -1e16};
	double part, sum = 0;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			MPI_Recv(&part, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			sum += part;
		}
		printf("the sum of %d parts is %g\n", size - 1, sum);
	} else {
		MPI_Send(&parts[rank % 4], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
