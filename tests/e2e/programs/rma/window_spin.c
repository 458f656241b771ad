/* Rank 1 reads rank 0's window repeatedly for a value that is never written, while rank 0 waits for
 * rank 1. With an argument rank 2 writes it after a while. */
#include "../check.h"

#include <unistd.h>

int main(int argc, char **argv)
{
	MPI_Win win;
	int *memory, value = 0, one = 1;

	start(&argc, &argv);
	MPI_Win_allocate(4, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	*memory = 0;
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	if (rank == 1) {
		while (value == 0) {
			/* one of the two is reported */
			MPI_Fetch_and_op(NULL, &value, MPI_INT, 0, 0, MPI_NO_OP, win); /* spins */
			MPI_Win_flush(0, win);                                         /* spins */
		}
	}
	if (rank == 2 && argc > 1) {
		usleep(1500000);
		MPI_Fetch_and_op(&one, &value, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
	}
	MPI_Barrier(WORLD);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
