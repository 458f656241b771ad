/* Rank 0 asks for a lock that it holds, which MPI refuses. It keeps the first one until it gets
 * a message from rank 1, which wants the lock as well. With an argument it releases the lock
 * before. */
#include "../check.h"
int main(int argc, char **argv)
{
	MPI_Win win;
	int *memory, value;

	start(&argc, &argv);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win) != MPI_SUCCESS);
		MPI_Barrier(WORLD);
		if (argc > 1)
			MPI_Win_unlock(1, win);
		MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, IGNORE);
		if (argc == 1)
			MPI_Win_unlock(1, win);
	} else {
		MPI_Barrier(WORLD);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Win_unlock(1, win);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
