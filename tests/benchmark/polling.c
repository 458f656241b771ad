/* Applications that poll. The ranks check what they receive.
 *
 *   events N U     rank 0 runs an event loop: it polls for a message from any rank with MPI_Iprobe,
 *                  receives and handles it; if there is none, it works for U microseconds. Each
 *                  other rank sends N requests and waits for the answer to each
 *   halo N U       N steps on a ring: borders are exchanged while the inside is computed in pieces
 *                  of U microseconds, with an MPI_Testall after each
 *   stealing N U   N tasks of U microseconds for each rank. Between two tasks a rank polls with
 *                  MPI_Testany for requests of ranks that have none left. A rank that gets no task
 *                  from any other is done
 *
 * Prints the seconds taken, and the number of polls of rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORLD MPI_COMM_WORLD
#define RANKS_MAX 64

enum { ASK = 1, ANSWER, LEFT, RIGHT, STEAL, GIVEN };

static int rank, size;
static long polls;

/* Processor time, so that each rank computes as much when there are more ranks than cores. It reads
 * no clock. */
static void compute(long microseconds)
{
	static long each; /* rounds in a microsecond */
	volatile double sum = 0;

	if (each == 0) {
		clock_t end = clock() + CLOCKS_PER_SEC / 50;
		long rounds = 0;

		for (; clock() < end; rounds += 1000)
			for (int i = 0; i < 1000; i++)
				sum += i;
		each = rounds / 20000 + 1;
	}
	for (long i = 0; i < each * microseconds; i++)
		sum += (double)i;
}

static void verify(int holds)
{
	if (!holds) {
		fprintf(stderr, "rank %d: wrong data\n", rank);
		MPI_Abort(WORLD, 1);
	}
}

static void serve(long count, long work)
{
	int value, there;
	MPI_Status status;

	for (long left = count * (size - 1); left > 0;) {
		MPI_Iprobe(MPI_ANY_SOURCE, ASK, WORLD, &there, &status);
		polls++;
		if (!there) {
			compute(work);
			continue;
		}
		MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, ASK, WORLD, &status);
		compute(work);
		value++;
		MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, ANSWER, WORLD);
		left--;
	}
}

static void events(long count, long work)
{
	int value;

	if (rank == 0)
		serve(count, work);
	for (int i = 0; rank > 0 && i < count; i++) {
		compute(8 * work);
		MPI_Send(&i, 1, MPI_INT, 0, ASK, WORLD);
		MPI_Recv(&value, 1, MPI_INT, 0, ANSWER, WORLD, MPI_STATUS_IGNORE);
		verify(value == i + 1);
	}
}

static void halo(long count, long work)
{
	enum { PIECES = 10, BORDER = 128 };
	int up = (rank + 1) % size, down = (rank + size - 1) % size;

	for (int step = 0; step < count; step++) {
		double to_up[BORDER], to_down[BORDER], from_up[BORDER], from_down[BORDER];
		MPI_Request requests[4];
		MPI_Status statuses[4];
		int done = 0, piece = 0;

		for (int i = 0; i < BORDER; i++)
			to_up[i] = to_down[i] = rank * 1000 + step;
		MPI_Irecv(from_down, BORDER, MPI_DOUBLE, down, RIGHT, WORLD, &requests[0]);
		MPI_Irecv(from_up, BORDER, MPI_DOUBLE, up, LEFT, WORLD, &requests[1]);
		MPI_Isend(to_up, BORDER, MPI_DOUBLE, up, RIGHT, WORLD, &requests[2]);
		MPI_Isend(to_down, BORDER, MPI_DOUBLE, down, LEFT, WORLD, &requests[3]);
		while (!done) {
			MPI_Testall(4, requests, &done, statuses);
			polls++;
			if (piece++ < PIECES)
				compute(work);
		}
		for (; piece < PIECES; piece++)
			compute(work);
		verify(from_up[0] == up * 1000 + step && from_down[0] == down * 1000 + step);
	}
}

/* Gives half of the remaining tasks to each rank that asks. */
static void look_for_thieves(MPI_Request *asked, int *ask, int *tasks)
{
	int index, there;

	MPI_Testany(size, asked, &index, &there, MPI_STATUS_IGNORE);
	polls++;
	if (!there || index == MPI_UNDEFINED)
		return;
	int given = *tasks / 2;
	*tasks -= given;
	MPI_Send(&given, 1, MPI_INT, index, GIVEN, WORLD);
	MPI_Irecv(&ask[index], 1, MPI_INT, index, STEAL, WORLD, &asked[index]);
}

static void stealing(long count, long work)
{
	MPI_Request asked[RANKS_MAX], ended;
	int ask[RANKS_MAX], tasks = (int)count * (rank == 0 ? 2 : 1), done = 0, all = 0, there = 0;

	for (int i = 0; i < size; i++) {
		asked[i] = MPI_REQUEST_NULL;
		if (i != rank)
			MPI_Irecv(&ask[i], 1, MPI_INT, i, STEAL, WORLD, &asked[i]);
	}
	for (int i = 1; i <= size; i++) {
		int victim = (rank + i) % size, given = 0;
		MPI_Request answer;

		for (; tasks > 0; tasks--, done++) {
			compute(work);
			look_for_thieves(asked, ask, &tasks);
			if (tasks == 0)
				break;
		}
		if (victim == rank)
			break;
		MPI_Irecv(&given, 1, MPI_INT, victim, GIVEN, WORLD, &answer);
		MPI_Send(&rank, 1, MPI_INT, victim, STEAL, WORLD);
		for (there = 0; !there;) {
			look_for_thieves(asked, ask, &tasks);
			MPI_Test(&answer, &there, MPI_STATUS_IGNORE);
			polls++;
		}
		tasks += given;
	}
	for (MPI_Ibarrier(WORLD, &ended), there = 0; !there;) {
		look_for_thieves(asked, ask, &tasks);
		MPI_Test(&ended, &there, MPI_STATUS_IGNORE);
		polls++;
	}
	for (int i = 0; i < size; i++) {
		if (i == rank)
			continue;
		MPI_Cancel(&asked[i]);
		MPI_Wait(&asked[i], MPI_STATUS_IGNORE);
	}
	MPI_Reduce(&done, &all, 1, MPI_INT, MPI_SUM, 0, WORLD);
	verify(rank != 0 || all == (int)count * (size + 1));
}

int main(int argc, char **argv)
{
	double begin;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	if (argc < 4 || size > RANKS_MAX)
		return 2;
	compute(1);
	MPI_Barrier(WORLD);
	begin = MPI_Wtime();
	if (strcmp(argv[1], "events") == 0)
		events(atol(argv[2]), atol(argv[3]));
	else if (strcmp(argv[1], "halo") == 0)
		halo(atol(argv[2]), atol(argv[3]));
	else
		stealing(atol(argv[2]), atol(argv[3]));
	MPI_Barrier(WORLD);
	if (rank == 0)
		printf("%.4f %ld\n", MPI_Wtime() - begin, polls);
	MPI_Finalize();
	return 0;
}
