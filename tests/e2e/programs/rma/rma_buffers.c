/* Buffers of one-sided calls that are also those of pending messages, as the first argument names.
 * "right": one after the other. "same_op": an accumulate concurrent with one that only fetches,
 * which a window can forbid. */
#include "../check.h"

#include <string.h>

static int data[8], memory[12];
static MPI_Win window;

/* Into the buffer of a pending receive. */
static void put(void)
{
	MPI_Request request;

	MPI_Irecv(data, 4, MPI_INT, 1, 0, WORLD, &request);      /* pending */
	MPI_Put(data + 2, 4, MPI_INT, 1, 0, 4, MPI_INT, window); /* put */
	MPI_Win_flush(1, window);
	MPI_Wait(&request, IGNORE);
}

/* Sends what it has not got yet. */
static void get(void)
{
	MPI_Get(data, 4, MPI_INT, 1, 0, 4, MPI_INT, window); /* get */
	MPI_Send(data + 3, 1, MPI_INT, 1, 1, WORLD);         /* sent */
	MPI_Win_flush(1, window);
}

static void right(void)
{
	MPI_Request request;

	MPI_Irecv(data, 4, MPI_INT, 1, 0, WORLD, &request);
	MPI_Put(data + 4, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
	MPI_Wait(&request, IGNORE);
	MPI_Win_flush_local(1, window);
	MPI_Get(data + 4, 4, MPI_INT, 1, 4, 4, MPI_INT, window);
	MPI_Put(data, 4, MPI_INT, 1, 8, 4, MPI_INT, window);
	MPI_Send(data, 4, MPI_INT, 1, 1, WORLD); /* both read */
	MPI_Win_flush(1, window);
	MPI_Rget(data, 4, MPI_INT, 1, 0, 4, MPI_INT, window, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Send(data, 8, MPI_INT, 1, 2, WORLD);
}

static void update(void)
{
	int one = 1, result;

	if (rank == 0)
		MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window); /* update */
	else
		MPI_Fetch_and_op(&one, &result, MPI_INT, 1, 0, MPI_NO_OP, window); /* fetch */
}

static void exchange(const char *what)
{
	int own[8] = {0};

	if (rank == 0 && !strcmp(what, "put"))
		put();
	else if (rank == 0 && !strcmp(what, "get"))
		get();
	else if (rank == 0)
		right();
	if (rank == 1 && strcmp(what, "get"))
		MPI_Send(own, 4, MPI_INT, 0, 0, WORLD);
	if (rank == 1 && strcmp(what, "put"))
		MPI_Recv(own, 4, MPI_INT, 0, 1, WORLD, IGNORE);
	if (rank == 1 && !strcmp(what, "right"))
		MPI_Recv(own, 8, MPI_INT, 0, 2, WORLD, IGNORE);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "right";
	MPI_Info info;

	start(&argc, &argv);
	MPI_Info_create(&info);
	if (!strcmp(what, "same_op"))
		MPI_Info_set(info, "accumulate_ops", "same_op");
	MPI_Win_create(memory, sizeof(memory), sizeof(int), info, WORLD, &window);
	MPI_Info_free(&info);
	MPI_Win_lock_all(0, window);
	if (!strcmp(what, "same_op") || !strcmp(what, "no_op"))
		update();
	else
		exchange(what);
	MPI_Win_unlock_all(window);
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
