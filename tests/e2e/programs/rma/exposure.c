/* Post, start, complete and wait, also by MPI_Win_test, with groups of several ranks and of
 * none, and with MPI_MODE_NOCHECK. With an argument the post ("start") or a complete ("wait") is
 * missing. */
#include "../check.h"
#include <stdbool.h>

static MPI_Win win;
static MPI_Group others;

static void epochs(int assert)
{
	if (assert)
		MPI_Barrier(WORLD);
	if (rank == 0) {
		MPI_Win_post(others, assert, win);
		if (assert)
			MPI_Barrier(WORLD);
		MPI_Win_wait(win);
	} else {
		if (assert)
			MPI_Barrier(WORLD);
		MPI_Win_start(others, assert, win);
		MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
		MPI_Win_complete(win);
	}
}

static void poll(void)
{
	int flag = 0;

	if (rank) {
		MPI_Win_start(others, 0, win);
		MPI_Win_complete(win);
		return;
	}
	MPI_Win_post(others, 0, win);
	while (!flag)
		MPI_Win_test(win, &flag);
	MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
	MPI_Win_wait(win);
	MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
	MPI_Win_complete(win);
}

int main(int argc, char **argv)
{
	MPI_Group world;
	int *memory, zero = 0;

	start(&argc, &argv);
	bool no_post = argc > 1 && strcmp(argv[1], "start") == 0;
	bool no_complete = argc > 1 && strcmp(argv[1], "wait") == 0;
	MPI_Win_allocate(32, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	MPI_Comm_group(WORLD, &world);
	if (rank)
		MPI_Group_incl(world, 1, &zero, &others);
	else
		MPI_Group_excl(world, 1, &zero, &others);
	if (no_post && rank == 0)
		MPI_Barrier(WORLD); /* no post */
	if (no_complete && rank == size - 1) {
		MPI_Win_start(others, 0, win);
		MPI_Barrier(WORLD); /* no complete */
	}
	epochs(0);
	for (int i = 1; i < size && rank == 0; i++)
		CHECK(memory[i] == i);
	epochs(MPI_MODE_NOCHECK);
	poll();
	MPI_Group_free(&world);
	MPI_Group_free(&others);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
