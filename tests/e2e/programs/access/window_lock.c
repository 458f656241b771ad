/* The owner of a window loads and stores there, without a lock (`bare`) or with one, while others
 * use it under a lock. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "store", *how = argc > 2 ? argv[2] : "locked";
	int bare = strcmp(how, "bare") == 0, rank, *window, one = 1, sum = 0;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
	*window = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* put */
		MPI_Win_unlock(0, win);
	} else if (rank == 0) {
		if (!bare)
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		if (strcmp(what, "store") == 0)
			*window = 2; /* store */
		else
			sum += *window >= 0; /* load */
		if (!bare)
			MPI_Win_unlock(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		sum += *window > 0; /* behind the barrier */
		MPI_Win_unlock(0, win);
		printf("%d\n", sum);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
