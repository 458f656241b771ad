/* Receives into a window that are cancelled in time write nothing there, so others may use the same
 * bytes. Those not cancelled in time ("late") write. A send still reads, since MPI need not cancel
 * it. */
#include "../check.h"

static int *memory, one = 1, result;
static MPI_Win win;

/* Rank 1 puts once it has a message that rank 0's operation is pending. */
static void put_meanwhile(int place)
{
	MPI_Recv(NULL, 0, MPI_INT, 0, 7, WORLD, IGNORE);
	MPI_Put(&one, 1, MPI_INT, 0, place, 1, MPI_INT, win); /* put */
	MPI_Win_flush(0, win);
	MPI_Send(NULL, 0, MPI_INT, 0, 8, WORLD);
}

static void under_way(void)
{
	MPI_Send(NULL, 0, MPI_INT, 1, 7, WORLD);
	MPI_Recv(NULL, 0, MPI_INT, 1, 8, WORLD, IGNORE);
}

static void in_vain(void)
{
	MPI_Request request;

	if (rank == 1)
		put_meanwhile(0);
	if (rank != 0)
		return;
	MPI_Irecv(memory, 1, MPI_INT, 2, 1, WORLD, &request);
	under_way();
	MPI_Cancel(&request);
	MPI_Wait(&request, IGNORE);
}

static void freed(void)
{
	MPI_Request request;

	if (rank == 1)
		put_meanwhile(0);
	if (rank != 0)
		return;
	MPI_Irecv(memory, 1, MPI_INT, 2, 1, WORLD, &request);
	under_way();
	MPI_Cancel(&request);
	MPI_Request_free(&request);
}

static void persistent(void)
{
	MPI_Request request;

	if (rank == 1) {
		put_meanwhile(0);
		put_meanwhile(0);
	}
	if (rank != 0)
		return;
	MPI_Recv_init(memory, 1, MPI_INT, 2, 1, WORLD, &request);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&request);
		under_way();
		MPI_Cancel(&request);
		MPI_Wait(&request, IGNORE);
	}
	MPI_Request_free(&request);
}

static void sent(void)
{
	MPI_Request request;

	if (rank == 1)
		put_meanwhile(4);
	if (rank != 0)
		return;
	MPI_Issend(memory + 4, 1, MPI_INT, 2, 1, WORLD, &request); /* sent */
	under_way();
	MPI_Cancel(&request);
	MPI_Wait(&request, IGNORE);
}

/* The message is there in time, or not. */
static void perhaps(void)
{
	MPI_Request request, cancelled = MPI_REQUEST_NULL;
	MPI_Status status;
	int flag;

	if (rank == 1)
		put_meanwhile(8);
	if (rank == 2)
		MPI_Isend(&one, 1, MPI_INT, 0, 1, WORLD, &cancelled);
	if (rank == 0) {
		MPI_Irecv(memory + 8, 1, MPI_INT, 2, 1, WORLD, &request); /* perhaps */
		under_way();
		MPI_Cancel(&request);
		MPI_Wait(&request, &status);
		MPI_Test_cancelled(&status, &flag);
		if (flag)
			MPI_Recv(&result, 1, MPI_INT, 2, 1, WORLD, IGNORE);
	}
	if (rank == 2)
		MPI_Wait(&cancelled, IGNORE);
}

/* A later message must not be mistaken for it. */
static void again(void)
{
	MPI_Request request;

	if (rank == 1)
		put_meanwhile(12);
	if (rank == 2)
		MPI_Send(&one, 1, MPI_INT, 0, 2, WORLD);
	if (rank != 0)
		return;
	MPI_Irecv(memory + 12, 1, MPI_INT, 2, 1, WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, IGNORE);
	MPI_Irecv(memory + 12, 1, MPI_INT, 2, 2, WORLD, &request); /* again */
	under_way();
	MPI_Wait(&request, IGNORE);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	MPI_Win_allocate(256, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	MPI_Win_lock_all(0, win);
	if (argc > 1) {
		sent();
		perhaps();
		again();
	} else {
		in_vain();
		freed();
		persistent();
	}
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
