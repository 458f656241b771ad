/* The program writes to buffers of active operations, as the first argument names. */
#include <sys/mman.h>

#include "../check.h"

#define LARGE (1 << 18)

static int data[LARGE], more[LARGE];

/* Rank 0 receives one message into `more`. */
static void receive(int count)
{
	MPI_Recv(more, count, MPI_INT, 1, 0, WORLD, IGNORE);
}

static void send(const char *what)
{
	int count = !strcmp(what, "large") ? LARGE : 4;
	MPI_Request request;

	if (rank == 0) {
		receive(count);
		return;
	}
	if (!strcmp(what, "persistent"))
		MPI_Send_init(data, count, MPI_INT, 0, 0, WORLD, &request);
	else
		MPI_Isend(data, count, MPI_INT, 0, 0, WORLD, &request); /* sent */
	if (!strcmp(what, "persistent"))
		MPI_Start(&request); /* started */
	data[count - 1]++;
	MPI_Wait(&request, IGNORE); /* completed */
	if (!strcmp(what, "persistent"))
		MPI_Request_free(&request);
}

/* At absolute addresses, in two pieces. */
static void bottom(void)
{
	int lengths[2] = {1, 2};
	MPI_Aint places[2];
	MPI_Datatype type;
	MPI_Request request;

	if (rank == 0) {
		receive(3);
		return;
	}
	MPI_Get_address(data + 7, &places[0]);
	MPI_Get_address(more, &places[1]);
	MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Isend(MPI_BOTTOM, 1, type, 0, 0, WORLD, &request); /* sent */
	MPI_Type_free(&type);
	more[1] = 1;
	more[2] = data[6] = 5;      /* not sent */
	MPI_Wait(&request, IGNORE); /* completed */
}

static void vector(void)
{
	MPI_Datatype column;
	MPI_Request request;

	if (rank == 0) {
		receive(3);
		return;
	}
	MPI_Type_vector(3, 1, 5, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Isend(data, 1, column, 0, 0, WORLD, &request); /* sent */
	MPI_Type_free(&column);
	data[5] = 1;
	MPI_Wait(&request, IGNORE); /* completed */
}

/* Before the message arrives or after, but always before the receive is known to be complete. */
static void write_to_receive(int early)
{
	MPI_Request request;

	if (rank == 1) {
		if (early)
			MPI_Barrier(WORLD);
		MPI_Send(data, 4, MPI_INT, 0, 0, WORLD);
		if (!early)
			MPI_Barrier(WORLD);
		return;
	}
	MPI_Irecv(more, 4, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &request); /* received */
	if (!early)
		MPI_Barrier(WORLD);
	more[2] = 77;
	if (early)
		MPI_Barrier(WORLD);
	MPI_Wait(&request, IGNORE); /* completed */
}

static void gone(void)
{
	size_t bytes = LARGE * sizeof(int);
	void *own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	MPI_Request request;

	if (rank == 0) {
		receive(LARGE);
		return;
	}
	MPI_Isend(own, LARGE, MPI_INT, 0, 0, WORLD, &request); /* sent */
	munmap(own, bytes);
	MPI_Wait(&request, IGNORE); /* completed */
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	start(&argc, &argv);
	if (!strcmp(what, "vector"))
		vector();
	else if (!strcmp(what, "bottom"))
		bottom();
	else if (!strcmp(what, "early") || !strcmp(what, "late"))
		write_to_receive(!strcmp(what, "early"));
	else if (!strcmp(what, "gone"))
		gone();
	else
		send(what);
	MPI_Finalize();
	return 0;
}
