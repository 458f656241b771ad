/* Ranks 0 and 1 each take two messages in any order: four interleavings. Bounds on ranks and on
 * lines leave some of them. */
#include <mpi.h>

static int take_first(void)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return value;
}

static int take_second(void)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return value;
}

int main(int argc, char **argv)
{
	int rank, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank < 2)
		sum = take_first() + take_second();
	for (int other = 0; rank >= 2 && other < 2; other++)
		MPI_Send(&rank, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return rank < 2 && sum != 5;
}
