/* Shared locks do not exclude each other: every rank holds one at each other while all wait for
 * each other, and there is no choice. With an argument rank 0 also wants an exclusive one, before
 * or after each of the others'; what the others read shows which. A lock of MPI_PROC_NULL has no
 * effect. */
#include "../check.h"
int main(int argc, char **argv)
{
	MPI_Win win;
	int *memory, value = -1, one = 1;

	start(&argc, &argv);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	memory[0] = 0;
	MPI_Barrier(WORLD);
	if (argc == 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win);
		MPI_Barrier(WORLD);
		MPI_Win_unlock(MPI_PROC_NULL, win);
		MPI_Win_lock_all(0, win);
		MPI_Barrier(WORLD);
		MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
		MPI_Win_flush_all(win);
		MPI_Win_unlock_all(win);
		for (int target = 0; target < size; target++)
			MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
		MPI_Barrier(WORLD);
		for (int target = 0; target < size; target++)
			MPI_Win_unlock(target, win);
	} else if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	} else {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
		printf("%d", value);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
