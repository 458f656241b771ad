/* Sends, receives and collectives with buffers in a window, concurrent with one-sided calls of
 * others that use the same bytes. With "right": the same in order, or on other bytes. */
#include "../check.h"

static int *memory, one = 1, result;
static MPI_Win win;

static void received(void)
{
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Recv(memory, 1, MPI_INT, 2, 0, WORLD, IGNORE); /* received */
	else if (rank == 1)
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* put there */
	else
		MPI_Send(&one, 1, MPI_INT, 0, 0, WORLD);
	MPI_Win_fence(0, win);
}

/* The put is complete before the message is sent; but until the message has arrived, MPI owns its
 * buffer. */
static void pending(void)
{
	MPI_Request request;

	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Irecv(memory + 2, 2, MPI_INT, 1, 0, WORLD, &request); /* pending */
		MPI_Wait(&request, IGNORE);
	} else if (rank == 1) {
		MPI_Put(&one, 1, MPI_INT, 0, 3, 1, MPI_INT, win); /* put meanwhile */
		MPI_Win_flush(0, win);
		MPI_Send(memory, 2, MPI_INT, 0, 0, WORLD);
	}
	MPI_Win_unlock_all(win);
}

static void sent(void)
{
	MPI_Request request;

	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Isend(memory + 4, 1, MPI_INT, 2, 0, WORLD, &request); /* sent */
		MPI_Send(NULL, 0, MPI_INT, 1, 0, WORLD);
		MPI_Wait(&request, IGNORE);
	} else if (rank == 1) {
		MPI_Recv(NULL, 0, MPI_INT, 0, 0, WORLD, IGNORE);
		MPI_Accumulate(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, win); /* updated */
	} else {
		MPI_Recv(&result, 1, MPI_INT, 0, 0, WORLD, IGNORE);
	}
	MPI_Win_unlock_all(win);
}

static void reduced(void)
{
	MPI_Win_fence(0, win);
	if (rank == 1)
		MPI_Get(&result, 1, MPI_INT, 0, 6, 1, MPI_INT, win); /* got */
	MPI_Allreduce(&one, memory + 6, 1, MPI_INT, MPI_SUM, WORLD); /* reduced */
	MPI_Win_fence(0, win);
}

static void gathered(void)
{
	MPI_Request request;

	MPI_Win_fence(0, win);
	MPI_Iallgather(&rank, 1, MPI_INT, memory + 8, 1, MPI_INT, WORLD, &request); /* gathered */
	if (rank == 1)
		MPI_Put(&one, 1, MPI_INT, 0, 10, 1, MPI_INT, win); /* into it */
	MPI_Wait(&request, IGNORE);
	MPI_Win_fence(0, win);
}

static void attached(void)
{
	static int own[4];
	MPI_Aint place;
	MPI_Win dynamic;

	MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &dynamic);
	MPI_Win_attach(dynamic, own, sizeof(own));
	MPI_Get_address(own, &place);
	MPI_Bcast(&place, 1, MPI_AINT, 0, WORLD);
	MPI_Win_fence(0, dynamic);
	if (rank == 0)
		MPI_Recv(own, 4, MPI_INT, 2, 0, WORLD, IGNORE); /* four */
	else if (rank == 1)
		MPI_Put(&one, 1, MPI_INT, 0, place + 4, 1, MPI_INT, dynamic); /* the second */
	else
		MPI_Send(memory, 3, MPI_INT, 0, 0, WORLD);
	if (rank == 1)
		MPI_Put(&one, 1, MPI_INT, 0, place + 12, 1, MPI_INT, dynamic); /* not filled */
	MPI_Win_fence(0, dynamic);
	MPI_Win_detach(dynamic, own);
	MPI_Win_free(&dynamic);
}

/* --- in order ------------------------------------------------------------------------------ */

static void fences(void)
{
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	if (rank == 0)
		MPI_Recv(memory, 1, MPI_INT, 2, 0, WORLD, IGNORE);
	else if (rank == 1)
		MPI_Put(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, win); /* beside it */
	else
		MPI_Send(&one, 1, MPI_INT, 0, 0, WORLD);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Allreduce(&one, memory, 2, MPI_INT, MPI_SUM, WORLD);
	/* The target has received before it gets here, too. */
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	if (rank == 1)
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Allreduce(&one, memory, 2, MPI_INT, MPI_SUM, WORLD);
	MPI_Win_fence(0, win);
}

static void exposed(void)
{
	MPI_Group all, target, origin;
	int both[2] = {0, 1};

	MPI_Comm_group(WORLD, &all);
	MPI_Group_incl(all, 1, &both[0], &target);
	MPI_Group_incl(all, 1, &both[1], &origin);
	if (rank == 0) {
		MPI_Recv(memory, 1, MPI_INT, 1, 0, WORLD, IGNORE);
		MPI_Win_post(origin, 0, win);
		MPI_Win_wait(win);
		MPI_Recv(memory, 1, MPI_INT, 1, 0, WORLD, IGNORE);
	} else if (rank == 1) {
		MPI_Send(&one, 1, MPI_INT, 0, 0, WORLD);
		MPI_Win_start(target, 0, win);
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
		MPI_Send(&one, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&target);
	MPI_Group_free(&origin);
	MPI_Barrier(WORLD);
}

static void locked(void)
{
	if (rank < 2)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	if (rank == 0)
		MPI_Recv(memory, 1, MPI_INT, 2, 0, WORLD, IGNORE);
	else if (rank == 1)
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	else
		MPI_Send(&one, 1, MPI_INT, 0, 0, WORLD);
	if (rank < 2)
		MPI_Win_unlock(0, win);
	MPI_Barrier(WORLD);
}

/* Two concurrent reads; a put that is flushed before its target gets a message about it; and an
 * answer. */
static void flushed(void)
{
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Send(memory, 1, MPI_INT, 2, 0, WORLD);
		MPI_Recv(NULL, 0, MPI_INT, 1, 0, WORLD, IGNORE);
		MPI_Recv(memory + 1, 1, MPI_INT, 1, 1, WORLD, IGNORE);
		MPI_Send(memory + 1, 1, MPI_INT, 1, 2, WORLD);
	} else if (rank == 1) {
		MPI_Get(&result, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Put(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		MPI_Send(NULL, 0, MPI_INT, 0, 0, WORLD);
		MPI_Send(&one, 1, MPI_INT, 0, 1, WORLD);
		MPI_Recv(&result, 1, MPI_INT, 0, 2, WORLD, IGNORE);
		MPI_Put(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
	} else {
		MPI_Recv(&result, 1, MPI_INT, 0, 0, WORLD, IGNORE);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	MPI_Win_allocate(256, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	if (argc > 1) {
		fences();
		exposed();
		flushed();
		locked();
	} else {
		received();
		pending();
		sent();
		reduced();
		gathered();
		attached();
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
