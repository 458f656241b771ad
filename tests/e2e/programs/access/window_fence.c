/* Loads and stores in a window, in the epoch of a one-sided access from another rank and in the
 * next one. Named: what the target does, then what the origin does. With `fenced`, a fence is
 * between the two. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int window[4], local[4];

int main(int argc, char **argv)
{
	const char *target = argc > 1 ? argv[1] : "load", *origin = argc > 2 ? argv[2] : "put";
	int fenced = argc > 3 && strcmp(argv[3], "fenced") == 0;
	int elsewhere = argc > 3 && strcmp(argv[3], "elsewhere") == 0;
	int rank, sum = 0, one = 1;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(window, sizeof(window), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 0) {
		if (strcmp(origin, "put") == 0)
			MPI_Put(local, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* remote */
		else if (strcmp(origin, "get") == 0)
			MPI_Get(local, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* remote */
		else
			MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, /* remote */
			               MPI_SUM, win);
	}
	if (fenced)
		MPI_Win_fence(0, win);
	if (rank == 1) {
		int *at = elsewhere ? &window[2] : window;

		if (strcmp(target, "load") == 0)
			sum += *at; /* load */
		else
			*at = 5; /* store */
	}
	MPI_Win_fence(0, win);
	if (rank == 1)
		printf("%d\n", sum);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
