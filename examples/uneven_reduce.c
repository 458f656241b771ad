/* Each rank adds up its share of the rows, and the last share is smaller.
 *
 * The ranks divide 10 rows, and pass the size of their share to MPI_Reduce as the count, instead of
 * the number of sums. The count of the last rank differs. With few rows MPI reports no error, as
 * each rank uses its own count only. */
#include <mpi.h>

#define ROWS 10

int main(int argc, char **argv)
{
	double sums[ROWS] = {0}, totals[ROWS];
	int rank, size, share;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	share = (ROWS + size - 1) / size;
	if (rank == size - 1)
		share = ROWS - share * (size - 1);
	MPI_Reduce(sums, totals, share, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
