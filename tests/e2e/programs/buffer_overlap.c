/* Buffers of active operations that overlap, in the way the first argument says; and three ways
 * that are right. */
#include "check.h"

#include <string.h>

#define COUNT 1000

static int data[COUNT];

/* Rank 1 sends messages of so many elements, each with elements of another value. */
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

	MPI_Irecv(first, count, MPI_INT, 1, 0, WORLD, &requests[0]); /* first */
	MPI_Irecv(second, count, MPI_INT, 1, 1, WORLD, &requests[1]); /* second */
	MPI_Waitall(2, requests, statuses); /* all */
}

/* Of a column each. */
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

/* The array of the receive is shorter than its count says; behind it is what is being sent. */
static void receive_beyond(void)
{
	struct {
		int received[2], sent[4];
	} both = { { 0, 0 }, { 1, 2, 3, 4 } };
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Isend(both.sent, 4, MPI_INT, 1, 0, WORLD, &requests[0]); /* sent */
	MPI_Irecv(both.received, 4, MPI_INT, 1, 0, WORLD, &requests[1]); /* short */
	MPI_Waitall(2, requests, statuses);
}

/* The program uses what lies behind a message that is shorter than its receive allows. */
static void receive_short(void)
{
	MPI_Request request;

	MPI_Irecv(data, COUNT, MPI_INT, 1, 0, WORLD, &request);
	data[COUNT / 2] = 7;
	MPI_Barrier(WORLD);
	data[COUNT / 2 + 1] = 8;
	MPI_Wait(&request, IGNORE);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "same";
	int own[4] = { 5, 6, 7, 8 };

	start(&argc, &argv);
	if (!strcmp(what, "beyond") && rank == 1) {
		MPI_Send(own, 4, MPI_INT, 0, 0, WORLD);
		MPI_Recv(own, 4, MPI_INT, 0, 0, WORLD, IGNORE);
	} else if (rank == 1) {
		send(!strcmp(what, "short") ? 1 : 2, 4);
	} else if (!strcmp(what, "same")) {
		receive_both(data, data + 3, 4);
	} else if (!strcmp(what, "apart")) {
		receive_both(data, data + 4, COUNT / 2); /* a count is but an upper bound */
	} else if (!strcmp(what, "columns")) {
		receive_columns();
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
