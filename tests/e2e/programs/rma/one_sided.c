/* One-sided communication proceeds, at a usable speed, while the target is held in a receive with
 * MPI_ANY_SOURCE; every way to synchronise, between choices. */
#include "../check.h"

enum { ROUNDS = 20 };

static MPI_Win win;
static int *memory;

static void race(void)
{
	int value;

	if (rank) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
		return;
	}
	for (int i = 1; i < size; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
}

static void active(int left, int right)
{
	MPI_Group world, to, from;

	MPI_Win_fence(0, win);
	MPI_Put(&rank, 1, MPI_INT, right, 1, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	CHECK(memory[1] == left);
	MPI_Comm_group(WORLD, &world);
	MPI_Group_incl(world, 1, &right, &to);
	MPI_Group_incl(world, 1, &left, &from);
	MPI_Win_post(from, 0, win);
	MPI_Win_start(to, 0, win);
	MPI_Put(&rank, 1, MPI_INT, right, 2, 1, MPI_INT, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	CHECK(memory[2] == left);
	MPI_Group_free(&world);
	MPI_Group_free(&to);
	MPI_Group_free(&from);
}

/* Rank 0 is the target and waits in a receive meanwhile. The others use different words. */
static void passive(void)
{
	int one = 1, before, value = 0;
	double begin = MPI_Wtime();

	if (rank == 0) {
		for (int i = 1; i < size; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, IGNORE);
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		CHECK(memory[3] == ROUNDS * (size - 1) && memory[4] == 2 * ROUNDS);
		MPI_Win_unlock(0, win);
		return;
	}
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Get(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		value++;
		MPI_Put(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
	}
	MPI_Win_unlock(0, win);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Request request;
		MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 3 + rank, MPI_SUM, win);
		MPI_Win_flush_local(0, win);
		MPI_Raccumulate(&one, 1, MPI_INT, 0, 3 + rank, 1, MPI_INT, MPI_SUM, win, &request);
		MPI_Wait(&request, IGNORE);
	}
	MPI_Win_unlock_all(win);
	/* 20 s when the target polled every 20 ms */
	CHECK(MPI_Wtime() - begin < 15 * slowness());
	MPI_Send(&rank, 1, MPI_INT, 0, 1, WORLD);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	int left = (rank + size - 1) % size, right = (rank + 1) % size;

	MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &win);
	for (int i = 0; i < 8; i++)
		memory[i] = 0;
	MPI_Barrier(WORLD);
	active(left, right);
	race();
	MPI_Barrier(WORLD);
	passive();
	active(left, right);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
