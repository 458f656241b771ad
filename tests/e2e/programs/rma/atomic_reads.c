/* Atomic operations that only read share the word; they come before or after each that writes. With
 * an argument the ranks go on with another word, which is independent of the first. */
#include "../check.h"

int main(int argc, char **argv)
{
	int one = 1, found[2] = {0}, *memory;
	MPI_Win win;

	start(&argc, &argv);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	memset(memory, 0, 8);
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	MPI_Fetch_and_op(&one, &found[0], MPI_INT, 0, 0, rank == 0 ? MPI_SUM : MPI_NO_OP, win);
	if (argc > 1) {
		MPI_Win_flush(0, win);
		MPI_Barrier(WORLD);
		MPI_Fetch_and_op(&one, &found[1], MPI_INT, 1, 1, rank == 0 ? MPI_SUM : MPI_NO_OP,
		                 win);
	}
	MPI_Win_unlock_all(win);
	printf("rank %d: %d %d\n", rank, rank == 0 ? 0 : found[0], rank == 0 ? 0 : found[1]);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
