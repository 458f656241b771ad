/* Two ranks take two locks in opposite order. */
#include "../check.h"
int main(int argc, char **argv)
{
	MPI_Win win;
	int *memory;

	start(&argc, &argv);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win); /* the first */
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
	MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
	MPI_Win_unlock(1 - rank, win);
	MPI_Win_unlock(rank, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
