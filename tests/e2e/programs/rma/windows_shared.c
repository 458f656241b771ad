/* A window in shared memory: each rank can reach the same bytes in several ways. Nothing orders two
 * accesses of different ranks; with "right" something does. */
#include "../check.h"

static int *first, one = 1, result; /* first: rank 0's part, as this rank sees it */
static MPI_Win shared;

/* Each rank makes another window over rank 0's part: these are the same bytes of rank 0. */
static void put_through_two(void)
{
	MPI_Win second;

	MPI_Win_create(first, 64, 4, MPI_INFO_NULL, WORLD, &second);
	MPI_Win_lock_all(0, shared);
	MPI_Win_lock_all(0, second);
	if (rank == 1)
		MPI_Put(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, shared); /* through one */
	else if (rank == 2)
		MPI_Put(&one, 1, MPI_INT, 2, 1, 1, MPI_INT, second); /* through another */
	MPI_Win_unlock_all(second);
	MPI_Win_unlock_all(shared);
	MPI_Win_free(&second);
}

static void receive(void)
{
	MPI_Win_fence(0, shared);
	if (rank == 1)
		MPI_Recv(first + 2, 1, MPI_INT, 0, 0, WORLD, IGNORE); /* received */
	else if (rank == 2)
		MPI_Get(&result, 1, MPI_INT, 0, 2, 1, MPI_INT, shared); /* got */
	else
		MPI_Send(&one, 1, MPI_INT, 1, 0, WORLD);
	MPI_Win_fence(0, shared);
}

/* No one-sided call at all. */
static void receive_both(void)
{
	MPI_Win_fence(0, shared);
	if (rank > 0)
		MPI_Recv(first + 4, 1, MPI_INT, 0, 0, WORLD, IGNORE); /* both received */
	for (int to = 1; rank == 0 && to < size; to++)
		MPI_Send(&one, 1, MPI_INT, to, 0, WORLD);
	MPI_Win_fence(0, shared);
}

/* Its own result buffer is in the other's window. */
static void fetch_there(void)
{
	MPI_Win_fence(0, shared);
	if (rank == 1)
		MPI_Get(first + 6, 1, MPI_INT, 1, 0, 1, MPI_INT, shared); /* fetched there */
	else if (rank == 2)
		MPI_Put(&one, 1, MPI_INT, 0, 6, 1, MPI_INT, shared); /* put there */
	MPI_Win_fence(0, shared);
}

/* Ranks use their own memory at equal addresses. */
static void apart(void)
{
	int *memory;
	MPI_Win win;

	MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

static void in_order(void)
{
	MPI_Win_lock_all(0, shared);
	if (rank == 1) {
		MPI_Recv(first, 1, MPI_INT, 0, 0, WORLD, IGNORE);
		MPI_Send(NULL, 0, MPI_INT, 2, 0, WORLD);
	} else if (rank == 2) {
		MPI_Recv(NULL, 0, MPI_INT, 1, 0, WORLD, IGNORE);
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, shared);
		MPI_Get(first + 1, 1, MPI_INT, 1, 0, 1, MPI_INT, shared);
		MPI_Win_flush_all(shared);
	} else {
		MPI_Send(&one, 1, MPI_INT, 1, 0, WORLD);
	}
	MPI_Barrier(WORLD);
	MPI_Bcast(first + 4 * rank, 1, MPI_INT, 0, WORLD);
	MPI_Win_unlock_all(shared);
	MPI_Barrier(WORLD);
	MPI_Put(&one, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, shared);
}

int main(int argc, char **argv)
{
	int *own, unit;
	MPI_Aint bytes;

	start(&argc, &argv);
	if (argc > 1)
		apart();
	MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, WORLD, &own, &shared);
	MPI_Win_shared_query(shared, 0, &bytes, &unit, &first);
	if (argc > 2) {
		receive_both();
	} else if (argc > 1) {
		in_order();
	} else {
		put_through_two();
		receive();
		receive_both();
		fetch_there();
	}
	MPI_Win_free(&shared);
	if (argc > 1)
		apart();
	MPI_Finalize();
	return 0;
}
