/* Rank 2 reads repeatedly what rank 0 puts into a window only after it has received with
 * MPI_ANY_SOURCE, and after it has polled for a message without success. Rank 2 is never at
 * rest. */
#include "../check.h"
int main(int argc, char **argv)
{
	MPI_Win win;
	int *memory, value, one = 1, flag = 0;

	start(&argc, &argv);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	memory[0] = 0;
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		MPI_Fetch_and_op(&one, &value, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		for (int i = 0; i < 3; i++) {
			MPI_Iprobe(1, 9, WORLD, &flag, IGNORE);
			CHECK(!flag);
			MPI_Fetch_and_op(&one, &value, MPI_INT, 0, 0, MPI_SUM, win);
			MPI_Win_flush(0, win);
		}
	} else {
		if (rank == 2) {
			do {
				MPI_Fetch_and_op(NULL, &value, MPI_INT, 0, 0, MPI_NO_OP, win);
				MPI_Win_flush(0, win);
			} while (value < 1);
		}
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
		if (rank == 2)
			do {
				MPI_Fetch_and_op(NULL, &value, MPI_INT, 0, 0, MPI_NO_OP, win);
				MPI_Win_flush(0, win);
			} while (value < 4);
	}
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
