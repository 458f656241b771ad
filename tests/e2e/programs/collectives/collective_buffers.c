/* Buffers of pending nonblocking and persistent collectives: written to, or shared with another
 * operation, as the first argument names. "right": many correct uses. */
#include "../check.h"

#include <string.h>

#define MEMBERS 3
#define EACH 4

static MPI_Status statuses[5];
static int data[4 * MEMBERS * EACH], more[4 * MEMBERS * EACH];

static void modified(const char *what)
{
	MPI_Request request;

	if (!strcmp(what, "bcast")) {
		MPI_Ibcast(data, EACH, MPI_INT, 0, WORLD, &request); /* started */
		if (rank == 0)
			data[1]++; /* is being sent */
	} else if (!strcmp(what, "gather")) {
		MPI_Igather(data, EACH, MPI_INT, more, EACH, MPI_INT, 0, WORLD, &request);
		if (rank == 0)
			more[2 * EACH] = 5; /* is being received */
	} else if (!strcmp(what, "allreduce")) {
		MPI_Iallreduce(data, more, EACH, MPI_INT, MPI_SUM, WORLD, &request); /* started */
		if (rank == 1)
			data[EACH - 1] = 9;
	} else {
		MPI_Alltoall_init(data, EACH, MPI_INT, more, EACH, MPI_INT, WORLD, MPI_INFO_NULL,
		                  &request);
		MPI_Start(&request); /* started */
		if (rank == 2)
			data[EACH] = 77;
	}
	MPI_Wait(&request, IGNORE); /* completed */
	if (request != MPI_REQUEST_NULL)
		MPI_Request_free(&request);
}

/* Two pending at a time, or one and a message from rank 1 to rank 0. */
static void overlapping(const char *what)
{
	MPI_Request requests[2];
	int own[EACH] = {0};

	if (!strcmp(what, "two")) {
		MPI_Ibcast(data, EACH, MPI_INT, 0, WORLD, &requests[0]);            /* first */
		MPI_Ibcast(data + EACH - 1, EACH, MPI_INT, 1, WORLD, &requests[1]); /* second */
	} else if (!strcmp(what, "reduced")) {
		MPI_Iallreduce(data, more, EACH, MPI_INT, MPI_SUM, WORLD, &requests[0]); /* first */
		MPI_Iallreduce(more, data + EACH, EACH, MPI_INT, MPI_SUM, WORLD,
		               &requests[1]); /* second */
	} else {
		requests[0] = requests[1] = MPI_REQUEST_NULL;
		MPI_Igather(data, EACH, MPI_INT, more, EACH, MPI_INT, 0, WORLD, &requests[0]);
		if (rank == 0)
			MPI_Irecv(more + EACH, EACH, MPI_INT, 1, 0, WORLD,
			          &requests[1]); /* second */
		else if (rank == 1)
			MPI_Isend(own, EACH, MPI_INT, 0, 0, WORLD, &requests[1]);
	}
	MPI_Waitall(2, requests, statuses);
}

/* Only the root has a receive buffer; the others pass a buffer that they use otherwise. */
static void right_rooted(void)
{
	MPI_Request requests[3];

	MPI_Igather(rank == 0 ? MPI_IN_PLACE : data, EACH, MPI_INT, rank == 0 ? more : data, EACH,
	            MPI_INT, 0, WORLD, &requests[0]);
	if (rank != 0)
		more[0]++;
	MPI_Ireduce(data, data, 0, MPI_INT, MPI_SUM, 0, WORLD, &requests[1]);
	MPI_Iscatter(data + EACH, EACH, MPI_INT, rank == 1 ? MPI_IN_PLACE : data + 20, EACH,
	             MPI_INT, 1, WORLD, &requests[2]);
	MPI_Waitall(3, requests, statuses);
}

/* Types with gaps, which the program uses for other data: the even and the odd elements. */
static void right_holes(void)
{
	int counts[MEMBERS], even[MEMBERS], odd[MEMBERS], bytes[MEMBERS];
	MPI_Datatype types[MEMBERS];
	MPI_Request requests[4];

	for (int i = 0; i < MEMBERS; i++) {
		counts[i] = 2;
		even[i] = 4 * i;
		odd[i] = 4 * i + 2;
		bytes[i] = (int)sizeof(int) * (4 * i + 4 * MEMBERS);
		types[i] = MPI_INT;
	}
	MPI_Iallgatherv(data, 2, MPI_INT, more, counts, even, MPI_INT, WORLD, &requests[0]);
	MPI_Ialltoallv(data, counts, even, MPI_INT, more, counts, odd, MPI_INT, WORLD,
	               &requests[1]);
	MPI_Ialltoallw(data, counts, bytes, types, more, counts, bytes, types, WORLD, &requests[2]);
	MPI_Igatherv(data, 2, MPI_INT, more + 24, counts, even, MPI_INT, 1, WORLD, &requests[3]);
	more[24 + 2] = more[24 + 4 * MEMBERS] = 6;
	more[4 * MEMBERS + 2] = 7;
	MPI_Waitall(4, requests, statuses);
}

/* One rank sends what all others only read; in place; a prefix of which rank 0 gets nothing. */
static void right_reductions(void)
{
	int counts[MEMBERS] = {1, 2, 3};
	MPI_Request requests[5];

	MPI_Iallreduce(data, more, EACH, MPI_INT, MPI_SUM, WORLD, &requests[0]);
	MPI_Ireduce(data, more + EACH, EACH, MPI_INT, MPI_SUM, 2, WORLD, &requests[1]);
	MPI_Iexscan(data, rank == 0 ? data + 1 : more + 2 * EACH, EACH, MPI_INT, MPI_SUM, WORLD,
	            &requests[2]);
	MPI_Iallreduce(MPI_IN_PLACE, more + 3 * EACH, EACH, MPI_INT, MPI_SUM, WORLD, &requests[3]);
	MPI_Ireduce_scatter(data, more + 4 * EACH, counts, MPI_INT, MPI_SUM, WORLD, &requests[4]);
	more[4 * EACH + 3] = 1;
	MPI_Waitall(5, requests, statuses);
	data[0] = more[0] = 1;
	MPI_Wait(&requests[0], IGNORE);
}

/* A line of processes: those at its ends have no neighbour on one side. */
static void right_neighbours(void)
{
	int size = MEMBERS, periods = 0;
	MPI_Request request;
	MPI_Comm line;

	MPI_Cart_create(WORLD, 1, &size, &periods, 0, &line);
	MPI_Ineighbor_alltoall(data, EACH, MPI_INT, more, EACH, MPI_INT, line, &request);
	if (rank == 0)
		data[0] = more[EACH - 1] = 3;
	if (rank == MEMBERS - 1)
		more[EACH] = 3;
	MPI_Wait(&request, IGNORE);
	MPI_Comm_free(&line);
}

static void right_persistent(void)
{
	MPI_Request request;

	MPI_Bcast_init(data, EACH, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request);
	for (int i = 0; i < 3; i++) {
		if (rank == 0)
			data[0] = i;
		MPI_Start(&request);
		MPI_Wait(&request, IGNORE);
		CHECK(data[0] == i);
		data[0] = -1;
	}
	MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "right";

	start(&argc, &argv);
	if (!strcmp(what, "right")) {
		right_rooted();
		right_holes();
		right_reductions();
		right_neighbours();
		right_persistent();
	} else if (!strcmp(what, "two") || !strcmp(what, "reduced") || !strcmp(what, "message")) {
		overlapping(what);
	} else {
		modified(what);
	}
	MPI_Finalize();
	return 0;
}
