/* Rank 2 waits for a lock that rank 0 holds. Rank 0 first receives with MPI_ANY_SOURCE: it can take
 * only rank 1's message, because rank 2 sends only after it had the lock. */
#include "../check.h"
int main(int argc, char **argv)
{
	MPI_Win win;
	int *memory, value;

	start(&argc, &argv);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	if (rank == 0)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Barrier(WORLD);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		MPI_Win_unlock(0, win);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	} else {
		if (rank == 2) {
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
			MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
			MPI_Win_unlock(0, win);
		}
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
