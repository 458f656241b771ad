/* A program that fetches nothing atomically: accumulates with one operation commute, but for
 * MPI_REPLACE, whose order is a choice. The order of different operations is MPI's. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value, found = 0, *memory;
	MPI_Win win;
	MPI_Op op = MPI_SUM;

	start(&argc, &argv);
	if (!strcmp(argv[1], "replace") || (!strcmp(argv[1], "both") && rank == 1))
		op = MPI_REPLACE;
	value = rank + 1;
	MPI_Win_allocate(4, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	*memory = 0;
	MPI_Win_fence(0, win);
	MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, op, win);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Get(&found, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	if (strcmp(argv[1], "both"))
		printf("rank %d: %d\n", rank, found);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
