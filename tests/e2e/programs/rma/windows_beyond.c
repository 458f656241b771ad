/* One-sided accesses outside the target's window, by displacement, by datatype and in units of the
 * target; MPI reports nothing. Accesses at the edge are correct, and so are those to memory
 * attached to a dynamic window. The memory around belongs to the program, so nothing crashes. */
#include "../check.h"

static int room[64], value[4], got;

static void by_displacement(MPI_Win win)
{
	MPI_Win_fence(0, win);
	if (rank == 0) {
		MPI_Put(value, 1, MPI_INT, 1, 7, 1, MPI_INT, win);
		MPI_Put(value, 1, MPI_INT, 1, 8, 1, MPI_INT, win); /* one too far */
		MPI_Put(value, 0, MPI_INT, 1, 100, 0, MPI_INT, win);
	}
	MPI_Win_fence(0, win);
}

static void by_type(MPI_Win win)
{
	MPI_Aint back = -4;
	MPI_Datatype row, before;

	MPI_Type_create_hindexed_block(1, 1, &back, MPI_INT, &before);
	MPI_Type_commit(&before);
	MPI_Type_vector(3, 1, 4, MPI_INT, &row);
	MPI_Type_commit(&row);
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Put(value, 3, MPI_INT, 1, 0, 1, row, win);
		MPI_Get(&got, 1, MPI_INT, 1, 0, 1, before, win);                /* one too early */
		MPI_Accumulate(value, 3, MPI_INT, 1, 10, 1, row, MPI_SUM, win); /* last one */
	}
	MPI_Win_unlock_all(win);
	MPI_Type_free(&row);
	MPI_Type_free(&before);
}

static void attached(void)
{
	MPI_Aint place;
	MPI_Win win;

	MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &win);
	MPI_Win_attach(win, room, sizeof(room));
	MPI_Get_address(room, &place);
	MPI_Bcast(&place, 1, MPI_AINT, 1, WORLD);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(value, 1, MPI_INT, 1, place, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_detach(win, room);
	MPI_Win_free(&win);
}

/* Rank 1 counts in units of 4 bytes, rank 0 in bytes. */
int main(int argc, char **argv)
{
	MPI_Win win, large;

	start(&argc, &argv);
	MPI_Win_create(&room[16], rank == 0 ? 4 : 32, rank == 0 ? 1 : 4, MPI_INFO_NULL, WORLD,
	               &win);
	by_displacement(win);
	MPI_Win_fence(0, win);
	if (rank == 1)
		MPI_Put(value, 1, MPI_INT, 0, 1, 1, MPI_INT, win); /* in bytes */
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Win_create(&room[16], 64, 4, MPI_INFO_NULL, WORLD, &large);
	by_type(large);
	MPI_Win_free(&large);
	attached();
	MPI_Finalize();
	return 0;
}
