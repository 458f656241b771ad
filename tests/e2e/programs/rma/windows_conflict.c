/* Incorrect one-sided accesses. Each pair that conflicts is reported with both lines, in any order
 * of execution. */
#include "../check.h"

static double room[16];
static int one = 1, result;
static MPI_Win win;

static void both_put(void)
{
	MPI_Win_fence(0, win);
	MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* both put */
	MPI_Win_fence(0, win);
}

/* The other rank does not know that it is flushed. */
static void flushed(void)
{
	if (rank == 1)
		MPI_Recv(NULL, 0, MPI_INT, 0, 0, WORLD, IGNORE);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	if (rank == 0) {
		MPI_Put(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, win); /* flushed too late */
		MPI_Send(NULL, 0, MPI_INT, 1, 0, WORLD);
		MPI_Win_flush(1, win);
	} else {
		MPI_Get(&result, 1, MPI_INT, 1, 1, 1, MPI_INT, win); /* told too early */
	}
	MPI_Win_unlock(1, win);
	MPI_Barrier(WORLD);
}

static void flushed_here(void)
{
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Put(&one, 1, MPI_INT, 1, 2, 1, MPI_INT, win); /* flushed here */
		MPI_Win_flush_local(1, win);
		MPI_Win_flush(MPI_PROC_NULL, win);                   /* of nobody */
		MPI_Get(&result, 1, MPI_INT, 1, 2, 1, MPI_INT, win); /* not there */
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
}

static void operations(void)
{
	double two = 2;

	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Accumulate(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, win); /* sum */
	else
		MPI_Accumulate(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_PROD, win); /* product */
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Accumulate(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, win); /* integer */
	else
		MPI_Accumulate(&two, 1, MPI_DOUBLE, 0, 4, 1, MPI_DOUBLE, MPI_SUM, win); /* real */
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Accumulate(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_REPLACE, win); /* replace */
	else
		MPI_Put(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, win); /* and put */
	MPI_Win_fence(0, win);
}

static void own_buffers(void)
{
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Get(&result, 1, MPI_INT, 1, 6, 1, MPI_INT, win); /* not here yet */
		MPI_Put(&result, 1, MPI_INT, 1, 7, 1, MPI_INT, win); /* sent on */
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
}

/* What an origin has completed is in the window after the target's wait. */
static void exposed(void)
{
	MPI_Group all, target;
	int both[2] = {0, 1};

	MPI_Comm_group(WORLD, &all);
	MPI_Group_incl(all, 1, both, &target);
	if (rank == 0)
		MPI_Win_post(all, 0, win);
	if (rank == 1)
		MPI_Recv(NULL, 0, MPI_INT, 0, 0, WORLD, IGNORE);
	MPI_Win_start(target, 0, win);
	if (rank == 0)
		MPI_Put(&one, 1, MPI_INT, 0, 9, 1, MPI_INT, win); /* completed */
	else
		MPI_Put(&one, 1, MPI_INT, 0, 9, 1, MPI_INT, win); /* before the wait */
	MPI_Win_complete(win);
	if (rank == 0) {
		MPI_Send(NULL, 0, MPI_INT, 1, 0, WORLD);
		MPI_Win_wait(win);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&target);
	MPI_Barrier(WORLD);
}

static void changed(void)
{
	int value = 1;

	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Put(&value, 1, MPI_INT, 1, 30, 1, MPI_INT, win); /* as it is now */
		value = 2;
		MPI_Win_flush_local(1, win); /* completes it */
		value = 3;
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
}

static void layouts(void)
{
	MPI_Datatype column;

	MPI_Type_vector(3, 1, 2, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(room, 1, column, 0, 10, 1, column, win); /* even places */
	else
		MPI_Put(room, 2, MPI_INT, 0, 11, 2, MPI_INT, win); /* odd and even */
	MPI_Win_fence(0, win);
	MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
	double *memory;

	start(&argc, &argv);
	MPI_Win_allocate(256, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	both_put();
	flushed();
	flushed_here();
	operations();
	own_buffers();
	changed();
	MPI_Win_fence(0, win);
	exposed();
	layouts();
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
