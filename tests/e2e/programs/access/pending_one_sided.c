/* The program loads from or stores into the own buffer of a one-sided call: before the call that
 * completes it there (`early`), or behind it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int is(const char *one, const char *two)
{
	return strcmp(one, two) == 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "get_load", *how = argc > 2 ? argv[2] : "flush";
	int rank, window[2] = {1, 2}, buffer[2] = {0, 0}, result = 0, sum = 0;
	int early = is(how, "early") || is(how, "flush_other");
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(window, sizeof(window), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		if (is(what, "get_load") || is(what, "get_store"))
			MPI_Get(buffer, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* call */
		else if (is(what, "rget_load"))
			MPI_Rget(buffer, 2, MPI_INT, 1, 0, 2, MPI_INT, win, &request); /* call */
		else if (is(what, "put_store"))
			MPI_Put(buffer, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* call */
		else if (is(what, "rput_store"))
			MPI_Rput(buffer, 2, MPI_INT, 1, 0, 2, MPI_INT, win, &request); /* call */
		else if (is(what, "put_load"))
			MPI_Put(buffer, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
		else
			MPI_Fetch_and_op(&result, buffer, MPI_INT, 1, 0, MPI_SUM, win); /* call */
		if (is(how, "flush"))
			MPI_Win_flush(1, win);
		else if (is(how, "local"))
			MPI_Win_flush_local_all(win);
		else if (is(how, "flush_other"))
			MPI_Win_flush(0, win);
		else if (is(how, "unlock"))
			MPI_Win_unlock_all(win);
		else if (is(how, "wait"))
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (strstr(what, "_load"))
			sum += buffer[0]; /* load */
		else
			buffer[0] = 9; /* store */
		if (request != MPI_REQUEST_NULL)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		printf("%d\n", early || sum >= 0);
	}
	if (rank != 0 || !is(how, "unlock"))
		MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
