/* Rank 1 wants a lock that rank 0 holds until it gets a message from rank 1. */
#include "../check.h"
int main(int argc, char **argv)
{
	MPI_Win win;
	int *memory, value;

	start(&argc, &argv);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Barrier(WORLD);
		MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, IGNORE);
		MPI_Win_unlock(1, win);
	} else {
		MPI_Barrier(WORLD);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_unlock(1, win);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
