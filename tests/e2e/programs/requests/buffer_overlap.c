/* Buffers of active operations that overlap, as the first argument names; and correct uses. */
#include "../check.h"

#include <string.h>

#define COUNT 1000

static int data[COUNT];

/* Rank 1 sends messages with `count` elements, each message with another value. */
static void send(int messages, int count)
{
	int own[COUNT];

	for (int i = 0; i < messages; i++) {
		for (int k = 0; k < count; k++)
			own[k] = i + 1;
		MPI_Send(own, count, MPI_INT, 0, i, WORLD);
	}
}

static void receive_both(int *first, int *second, int count)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Irecv(first, count, MPI_INT, 1, 0, WORLD, &requests[0]);  /* first */
	MPI_Irecv(second, count, MPI_INT, 1, 1, WORLD, &requests[1]); /* second */
	MPI_Waitall(2, requests, statuses);                           /* all */
}

/* One column each. */
static void receive_columns(void)
{
	MPI_Datatype column;
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Type_vector(4, 1, 2, MPI_INT, &column);
	MPI_Type_commit(&column);
	for (int i = 0; i < 2; i++)
		MPI_Irecv(data + i, 1, column, 1, i, WORLD, &requests[i]);
	MPI_Waitall(2, requests, statuses);
	MPI_Type_free(&column);
}

/* The second column starts in the first one's second element. */
static void receive_touching_columns(void)
{
	MPI_Datatype column, wide;
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Type_vector(4, 1, 2, MPI_INT, &column);
	MPI_Type_vector(2, 2, 3, MPI_INT, &wide);
	MPI_Type_commit(&column);
	MPI_Type_commit(&wide);
	MPI_Irecv(data, 1, column, 1, 0, WORLD, &requests[0]);
	MPI_Irecv(data + 1, 1, wide, 1, 1, WORLD, &requests[1]);
	MPI_Waitall(2, requests, statuses);
	MPI_Type_free(&column);
	MPI_Type_free(&wide);
}

/* Two arrays by address; the second receive has one in common with the first, or none. */
static void receive_absolute(int overlapping)
{
	static int one[4], other[4], third[4];
	int lengths[2] = {2, 2};
	MPI_Aint places[2];
	MPI_Datatype types[2];
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Get_address(one, &places[0]);
	MPI_Get_address(other, &places[1]);
	MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &types[0]);
	MPI_Get_address(overlapping ? other + 1 : other + 2, &places[0]);
	MPI_Get_address(third, &places[1]);
	MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &types[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Type_commit(&types[i]);
		MPI_Irecv(MPI_BOTTOM, 1, types[i], 1, i, WORLD, &requests[i]);
		MPI_Type_free(&types[i]);
	}
	MPI_Waitall(2, requests, statuses);
}

/* A buffer is received into while it is sent; with `right` the receive was complete in between. */
static void send_before(int right)
{
	MPI_Request request;

	MPI_Irecv(data, 4, MPI_INT, 1, 0, WORLD, &request); /* pending */
	if (right)
		MPI_Wait(&request, IGNORE);
	MPI_Send(data, 2, MPI_INT, 1, 0, WORLD); /* blocking */
	if (!right)
		MPI_Wait(&request, IGNORE);
}

/* The array of the receive is shorter than its count says; what is being sent lies after it. */
static void receive_beyond(void)
{
	struct {
		int received[2], sent[4];
	} both = {{0, 0}, {1, 2, 3, 4}};
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Isend(both.sent, 4, MPI_INT, 1, 0, WORLD, &requests[0]);     /* sent */
	MPI_Irecv(both.received, 4, MPI_INT, 1, 0, WORLD, &requests[1]); /* short */
	MPI_Waitall(2, requests, statuses);
}

/* The program uses the memory after a message that is shorter than its receive allows. */
static void receive_short(void)
{
	MPI_Request request;

	MPI_Irecv(data, COUNT, MPI_INT, 1, 0, WORLD, &request);
	data[COUNT / 2] = 7;
	MPI_Barrier(WORLD);
	data[COUNT / 2 + 1] = 8;
	MPI_Wait(&request, IGNORE);
}

/* The buffers of MPI_Sendrecv must be disjoint; MPI_Sendrecv_replace has one. */
static void exchange(int apart)
{
	MPI_Status status;

	MPI_Sendrecv(data, 4, MPI_INT, 1, 0, data + (apart ? 4 : 3), 4, MPI_INT, 1, 0, WORLD,
	             &status); /* exchanged */
	MPI_Sendrecv_replace(data, 4, MPI_INT, 1, 0, 1, 0, WORLD, &status);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "same";
	int own[4] = {5, 6, 7, 8};

	start(&argc, &argv);
	if (!strcmp(what, "beyond") && rank == 1) {
		MPI_Send(own, 4, MPI_INT, 0, 0, WORLD);
		MPI_Recv(own, 4, MPI_INT, 0, 0, WORLD, IGNORE);
	} else if ((!strcmp(what, "unfinished") || !strcmp(what, "finished")) && rank == 1) {
		MPI_Send(own, 4, MPI_INT, 0, 0, WORLD);
		MPI_Recv(own, 2, MPI_INT, 0, 0, WORLD, IGNORE);
	} else if (!strcmp(what, "unfinished") || !strcmp(what, "finished")) {
		send_before(!strcmp(what, "finished"));
	} else if (!strncmp(what, "exchange", 8) && rank == 1) {
		for (int i = 0; i < 2; i++)
			MPI_Sendrecv(own, 4, MPI_INT, 0, 0, data, 4, MPI_INT, 0, 0, WORLD, IGNORE);
	} else if (!strncmp(what, "exchange", 8)) {
		exchange(!strcmp(what, "exchange apart"));
	} else if (rank == 1) {
		send(!strcmp(what, "short") ? 1 : 2, 4);
	} else if (!strcmp(what, "same")) {
		receive_both(data, data + 3, 4);
	} else if (!strcmp(what, "apart")) {
		receive_both(data, data + 4, COUNT / 2); /* a count is only an upper bound */
	} else if (!strcmp(what, "columns")) {
		receive_columns();
	} else if (!strcmp(what, "touching")) {
		receive_touching_columns();
	} else if (!strcmp(what, "absolute") || !strcmp(what, "bottom")) {
		receive_absolute(!strcmp(what, "absolute"));
	} else if (!strcmp(what, "beyond")) {
		receive_beyond();
	} else {
		receive_short();
	}
	if (rank == 1 && !strcmp(what, "short"))
		MPI_Barrier(WORLD);
	MPI_Finalize();
	return 0;
}
