/* The measured workloads, by name:
 *
 *   senders          each rank except 0 sends one message; rank 0 receives them in any order; then
 *                    a barrier
 *   adds             the same, but rank 0 keeps only the sum of the values
 *   keeps            the same, but rank 0 also keeps the order of the sources
 *   few N            adds with N senders; the others do nothing
 *   all N            the same, with a barrier of all ranks after each receive
 *   rounds R         senders R times
 *   polls R          the same, but rank 0 polls for each message with MPI_Test
 *   compute S        the same once, after S seconds of computing on every rank
 *   findings S       after S seconds of computing rank 0 of 4 aborts for one order of the
 *                    messages, and deadlocks for another
 *   digest S         the same once; rank 0 then computes for S seconds
 *   ring N           N exchanges around the ring, each followed by an Allreduce
 *   calls N          N calls that complete at once; rank 0 prints the microseconds per call
 *   mixed N U        N rounds of messages and collectives, blocking and not, without choices;
 *                    before each call every rank computes for U microseconds
 *   exchange N B     N exchanges of B bytes around the ring
 *   behind S N       after S seconds of computing, N messages from each even rank to the next;
 *                    then as senders
 *   holds N M        each rank fills M megabytes; then N times as senders, before which each rank
 *                    changes one page of them
 *   pending N        N calls of all kinds between the posting of a wildcard receive and its wait
 *
 * mixed, exchange and pending print the seconds that the calls took, and check what they
 * receive. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void poll_for(int *value)
{
	MPI_Request request;
	int done = 0;

	MPI_Irecv(value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
	while (!done)
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static void senders(int polls)
{
	int value;

	for (int i = 1; rank == 0 && i < size; i++)
		if (polls)
			poll_for(&value);
		else
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
	if (rank != 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void add_up(void)
{
	long sum = 0;
	volatile int value = rank;

	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv((void *)&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		sum += value;
		value = 0;
	}
	if (rank != 0)
		MPI_Send((void *)&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	else
		printf("%ld\n", sum);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void add_few(int count, int together)
{
	long sum = 0;
	volatile int value = rank;

	if (rank > 0 && rank <= count)
		MPI_Send((void *)&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 0; i < count; i++) {
		if (rank == 0) {
			MPI_Recv((void *)&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			sum += value;
			value = 0;
		}
		if (together)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%ld\n", sum);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void keep_order(void)
{
	static int got[64];

	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank != 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Processor time, so that each rank computes as much when there are more ranks than cores. */
static void compute(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	volatile double sum = 0;

	while (clock() < end) {
		for (int i = 0; i < 1000; i++)
			sum += i;
	}
}

static void find(void)
{
	int values[3];

	if (rank != 0) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		return;
	}
	for (int i = 0; i < 3; i++)
		MPI_Recv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	if (values[0] == 3 && values[1] == 2)
		abort();
	if (values[0] == 3)
		MPI_Recv(values, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ring(int count)
{
	int value, sum;

	for (int i = 0; i < count; i++) {
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1, MPI_INT,
		             (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
}

static void calls(int count)
{
	double begin = now();

	for (int i = 0; i < count; i++)
		MPI_Barrier(MPI_COMM_SELF);
	if (rank == 0)
		printf("%.3f\n", (now() - begin) / count * 1e6);
}

static void verify(int holds)
{
	if (!holds) {
		fprintf(stderr, "rank %d: wrong data\n", rank);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

/* Nine calls a round on every rank. */
static void mixed_round(int round, double seconds)
{
	int up = (rank + 1) % size, down = (rank + size - 1) % size, sum = 0, root = round % size;
	int sent[2] = {rank, round}, received[2] = {-1, -1}, shared = rank == root ? round : -1;
	MPI_Request requests[2];
	MPI_Status statuses[2];

	compute(seconds);
	MPI_Irecv(received, 2, MPI_INT, down, 1, MPI_COMM_WORLD, &requests[0]);
	compute(seconds);
	MPI_Isend(sent, 2, MPI_INT, up, 1, MPI_COMM_WORLD, &requests[1]);
	compute(seconds);
	MPI_Waitall(2, requests, statuses);
	verify(received[0] == down && received[1] == round);
	compute(seconds);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	verify(sum == size * (size - 1) / 2);
	compute(seconds);
	if (rank % 2 == 0)
		MPI_Send(sent, 2, MPI_INT, up, 2, MPI_COMM_WORLD);
	else
		MPI_Recv(received, 2, MPI_INT, down, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	compute(seconds);
	if (rank % 2 == 0)
		MPI_Recv(received, 2, MPI_INT, down, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(sent, 2, MPI_INT, up, 2, MPI_COMM_WORLD);
	compute(seconds);
	MPI_Bcast(&shared, 1, MPI_INT, root, MPI_COMM_WORLD);
	verify(shared == round);
	compute(seconds);
	MPI_Sendrecv(sent, 2, MPI_INT, up, 3, received, 2, MPI_INT, down, 3, MPI_COMM_WORLD,
	             MPI_STATUS_IGNORE);
	compute(seconds);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void mixed(int count, double seconds)
{
	double begin;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = now();
	for (int i = 0; i < count; i++)
		mixed_round(i, seconds);
	if (rank == 0)
		printf("%.4f\n", now() - begin);
}

static void exchange(int count, size_t bytes)
{
	char *sent = malloc(bytes), *received = malloc(bytes);
	double begin;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = now();
	for (int i = 0; i < count; i++) {
		memset(sent, rank + i, bytes);
		MPI_Sendrecv(sent, (int)bytes, MPI_BYTE, (rank + 1) % size, 0, received, (int)bytes,
		             MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
		             MPI_STATUS_IGNORE);
		verify(received[bytes - 1] == (char)((rank + size - 1) % size + i));
	}
	if (rank == 0)
		printf("%.4f\n", now() - begin);
	free(sent);
	free(received);
}

/* Five calls a round on rank 0, which has a receive with MPI_ANY_SOURCE pending. The others'
 * messages to it have other tags, so that receive does not take them. */
static void pending(int count)
{
	int wild, value, sum;
	MPI_Request any, one;
	double begin;

	if (rank == 0)
		MPI_Irecv(&wild, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &any);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = now();
	for (int i = 0; i < count / 5; i++) {
		if (rank == 0) {
			MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &one);
			MPI_Wait(&one, MPI_STATUS_IGNORE);
			verify(value == i);
			MPI_Recv(&value, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			MPI_Isend(&i, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &one);
			MPI_Wait(&one, MPI_STATUS_IGNORE);
		} else {
			if (rank == 1)
				MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
			if (rank == size - 1)
				MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
			if (rank == 1)
				MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD,
				         MPI_STATUS_IGNORE);
		}
		if (i % 10 == 0)
			MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%.4f\n", now() - begin);
	if (rank == 1)
		MPI_Send(&rank, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Wait(&any, MPI_STATUS_IGNORE);
		verify(wild == 1);
	}
}

static void hold(int count, int megabytes)
{
	size_t bytes = (size_t)megabytes << 20;
	char *held = malloc(bytes);

	if (!held)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (size_t i = 0; i < bytes; i++)
		held[i] = (char)(i * 7 + (size_t)rank);
	for (int i = 0; i < count; i++) {
		held[(size_t)i * 4096 % bytes]++;
		senders(0);
	}
	free(held);
}

static void behind(double seconds, int count)
{
	int other = rank % 2 == 0 ? rank + 1 : rank - 1;

	compute(seconds);
	for (int i = 0; i < count && other < size; i++) {
		int value = i;

		if (rank % 2 == 0)
			MPI_Send(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
		else
			MPI_Recv(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	senders(0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "senders";
	double number = argc > 2 ? atof(argv[2]) : 1, other = argc > 3 ? atof(argv[3]) : 1;

	int polls = strcmp(what, "polls") == 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(what, "compute") == 0 || strcmp(what, "findings") == 0)
		compute(number);
	if (strcmp(what, "ring") == 0)
		ring((int)number);
	else if (strcmp(what, "calls") == 0)
		calls((int)number);
	else if (strcmp(what, "mixed") == 0)
		mixed((int)number, other * 1e-6);
	else if (strcmp(what, "exchange") == 0)
		exchange((int)number, (size_t)other);
	else if (strcmp(what, "findings") == 0)
		find();
	else if (strcmp(what, "adds") == 0)
		add_up();
	else if (strcmp(what, "few") == 0 || strcmp(what, "all") == 0)
		add_few((int)number, strcmp(what, "all") == 0);
	else if (strcmp(what, "keeps") == 0)
		keep_order();
	else if (strcmp(what, "pending") == 0)
		pending((int)number);
	else if (strcmp(what, "holds") == 0)
		hold((int)number, (int)other);
	else if (strcmp(what, "behind") == 0)
		behind(number, (int)other);
	else
		for (int i = 0; i < (polls || strcmp(what, "rounds") == 0 ? (int)number : 1); i++)
			senders(polls);
	if (strcmp(what, "digest") == 0 && rank == 0)
		compute(number);
	MPI_Finalize();
	return 0;
}
