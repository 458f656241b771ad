/* Rank 2 reads repeatedly what rank 0 puts into a window only after it has received with
 * MPI_ANY_SOURCE, and after it has polled for a message without success. Rank 2 is never at
 * rest: in a dynamic window the order of atomic operations is MPI's. */
#include "../check.h"
int main(int argc, char **argv)
{
	MPI_Win win;
	MPI_Aint place;
	int memory[2] = {0}, value, one = 1, flag = 0;

	start(&argc, &argv);
	MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &win);
	MPI_Win_attach(win, memory, sizeof(memory));
	MPI_Get_address(memory, &place);
	MPI_Bcast(&place, 1, MPI_AINT, 0, WORLD);
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		MPI_Fetch_and_op(&one, &value, MPI_INT, 0, place, MPI_SUM, win);
		MPI_Win_flush(0, win);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		for (int i = 0; i < 3; i++) {
			MPI_Iprobe(1, 9, WORLD, &flag, IGNORE);
			CHECK(!flag);
			MPI_Fetch_and_op(&one, &value, MPI_INT, 0, place, MPI_SUM, win);
			MPI_Win_flush(0, win);
		}
	} else {
		if (rank == 2) {
			do {
				MPI_Fetch_and_op(NULL, &value, MPI_INT, 0, place, MPI_NO_OP, win);
				MPI_Win_flush(0, win);
			} while (value < 1);
		}
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
		if (rank == 2)
			do {
				MPI_Fetch_and_op(NULL, &value, MPI_INT, 0, place, MPI_NO_OP, win);
				MPI_Win_flush(0, win);
			} while (value < 4);
	}
	MPI_Win_unlock_all(win);
	MPI_Win_detach(win, memory);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
