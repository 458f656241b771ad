/* Large receives that name their message are passed to the library before the scheduler has bound
 * them, but never before an earlier one that the same message fits. Each rank checks what it
 * received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { INTS = 40000 };

static int rank;

static void expect(const char *what, const int *data, int value)
{
	if (data[0] == value && data[INTS - 1] == value)
		return;
	printf("%s: %d and %d for %d\n", what, data[0], data[INTS - 1], value);
	fflush(stdout);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static int *filled(int value)
{
	int *data = malloc(INTS * sizeof(*data));

	for (int i = 0; i < INTS; i++)
		data[i] = value;
	return data;
}

static void send(int value, int count, int tag)
{
	int *data = filled(value);

	MPI_Send(data, count, MPI_INT, 0, tag, MPI_COMM_WORLD);
	free(data);
}

/* The wildcard was posted first, so it has the first claim to rank 1's first message. */
static void behind_any_source(int *one, int *other, int *third)
{
	MPI_Request request;
	int first;

	MPI_Irecv(one, INTS, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
	MPI_Recv(other, INTS, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	first = one[0] == 11;
	MPI_Recv(third, INTS, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	expect("any source", one, first ? 11 : 21);
	expect("behind any source", other, first ? 12 : 11);
	expect("the last", third, first ? 21 : 12);
}

static void behind_others(int *one, int *other)
{
	MPI_Request requests[2];

	MPI_Irecv(one, INTS, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv(other, INTS, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	expect("any tag", one, 13);
	expect("behind any tag", other, 14);

	one[0] = 0;
	MPI_Irecv(one, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv(other, INTS, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	one[INTS - 1] = one[0];
	expect("small", one, 15);
	expect("behind a small one", other, 16);

	MPI_Irecv(one, INTS, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(other, INTS, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[1]);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	expect("waited for last", one, 17);
	expect("waited for first", other, 18);

	MPI_Irecv(one, INTS, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(other, INTS, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	expect("first of all", one, 19);
	expect("second of all", other, 20);
}

/* A cancelled receive makes way; one that is started again queues again. */
static void given_up_and_started(int *one, int *other)
{
	MPI_Request request;

	MPI_Irecv(one, INTS, MPI_INT, 1, 6, MPI_COMM_WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Recv(other, INTS, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	expect("after one given up", other, 22);
	MPI_Recv_init(one, INTS, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect("started", one, 23 + i);
	}
	MPI_Request_free(&request);
}

static void exchange(int *received)
{
	int size, *sent = filled(100 + rank);

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv(sent, INTS, MPI_INT, (rank + 1) % size, 8, received, INTS, MPI_INT,
	             (rank + size - 1) % size, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	expect("exchanged", received, 100 + (rank + size - 1) % size);
	free(sent);
}

/* Others have choices while rank 0 waits: its receive is in the library when snapshots are
 * taken. */
static void wait_across_choices(int *data)
{
	int first, second, nothing = 0;

	if (rank == 0) {
		MPI_Recv(data, INTS, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect("across choices", data, 25);
	} else if (rank == 1) {
		MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		send(25, INTS, 9);
	} else {
		MPI_Send(&nothing, 1, MPI_INT, 1, 10, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int *data[3];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 3; i++)
		data[i] = filled(-1);
	if (rank == 0) {
		behind_any_source(data[0], data[1], data[2]);
		behind_others(data[0], data[1]);
		given_up_and_started(data[0], data[1]);
	} else if (rank == 1) {
		const int tags[] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
		for (int i = 0; i < 10; i++)
			send(11 + i, i == 4 ? 1 : INTS, tags[i]);
		MPI_Barrier(MPI_COMM_WORLD);
		send(22, INTS, 6);
		send(23, INTS, 7);
		send(24, INTS, 7);
	} else {
		if (rank == 2)
			send(21, INTS, 1);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	exchange(data[0]);
	wait_across_choices(data[1]);
	for (int i = 0; i < 3; i++)
		free(data[i]);
	MPI_Finalize();
	return 0;
}
