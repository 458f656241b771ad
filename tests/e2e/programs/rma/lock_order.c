/* Three ranks want the lock of rank 0's window. Each order is an interleaving and determines what
 * the last one finds there. */
#include "../check.h"
int main(int argc, char **argv)
{
	MPI_Win win;
	int *memory, before, one;

	start(&argc, &argv);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	memory[0] = 0;
	MPI_Barrier(WORLD);
	one = rank + 1;
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Get(&before, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_flush(0, win);
	one += 10 * before;
	MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_unlock(0, win);
	MPI_Barrier(WORLD);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
		if (memory[0] == 321)
			abort();
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
