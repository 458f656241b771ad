/* MPI_THREAD_MULTIPLE, but one thread: goes back by snapshots like any other program. */
#include "../check.h"

int main(int argc, char **argv)
{
	int provided, value;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	CHECK(provided == MPI_THREAD_MULTIPLE);
	MPI_Query_thread(&provided);
	CHECK(provided == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	MPI_Finalize();
	return 0;
}
