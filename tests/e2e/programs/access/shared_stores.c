/* Ranks load and store in each other's part of a shared window, with nothing between (`bare`), or
 * with something that orders them. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "store", *how = argc > 2 ? argv[2] : "barrier";
	int rank, unit, *mine, *first, token = 0, sum = 0;
	MPI_Aint size;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
	                        &win);
	MPI_Win_shared_query(win, 0, &size, &unit, &first);
	if (strcmp(how, "fence") == 0)
		MPI_Win_fence(0, win);
	else if (strcmp(how, "locked") != 0)
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	if (strcmp(how, "locked") == 0)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	if (rank == 0)
		first[1] = 7; /* first */
	if (strcmp(how, "barrier") == 0) {
		MPI_Win_sync(win);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_sync(win);
	} else if (strcmp(how, "message") == 0) {
		MPI_Win_sync(win);
		if (rank == 0)
			MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Win_sync(win);
	} else if (strcmp(how, "wrong_way") == 0) {
		if (rank == 1)
			MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (strcmp(how, "fence") == 0) {
		MPI_Win_fence(0, win);
	}
	if (rank == 1 && strcmp(what, "store") == 0)
		first[1] = 8; /* second */
	else if (rank == 1 && strcmp(what, "load") == 0)
		sum += first[1]; /* second */
	else if (rank == 1)
		mine[0] = 1; /* its own part */
	if (strcmp(how, "fence") == 0)
		MPI_Win_fence(0, win);
	else if (strcmp(how, "locked") != 0)
		MPI_Win_unlock_all(win);
	if (strcmp(how, "locked") == 0)
		MPI_Win_unlock(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d\n", first[1] >= 7);
	else
		printf("%d\n", sum >= 0);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
