/* MPI_Win_post, start, complete and wait: the target loads and stores behind MPI_Win_wait, or
 * before it (`early`), or behind MPI_Win_test. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "load", *when = argc > 2 ? argv[2] : "late";
	int rank, window[2] = {0, 0}, values[2] = {3, 4}, sum = 0, done = 0, other;
	MPI_Group world, peer;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &peer);
	MPI_Win_create(window, sizeof(window), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == 0) {
		MPI_Win_start(peer, 0, win);
		MPI_Put(values, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* put */
		MPI_Win_complete(win);
		values[0] = 0; /* the origin is free again */
	} else {
		window[0] = 1; /* before it is exposed */
		MPI_Win_post(peer, 0, win);
		if (strcmp(when, "test") == 0)
			while (!done)
				MPI_Win_test(win, &done);
		else if (strcmp(when, "late") == 0)
			MPI_Win_wait(win);
		if (strcmp(what, "load") == 0)
			sum = window[0] + window[1]; /* load */
		else
			window[1] = 9; /* store */
		if (strcmp(when, "early") == 0)
			MPI_Win_wait(win);
		printf("%d\n", sum != 1);
	}
	MPI_Group_free(&world);
	MPI_Group_free(&peer);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
