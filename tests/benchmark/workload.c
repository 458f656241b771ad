/* What is measured, by name:
 *
 *   senders          every rank but 0 sends one message, rank 0 takes them as they come, barrier
 *   rounds R         the same R times
 *   compute S        the same once, after S seconds of computing on every rank
 *   ring N           N exchanges around the ring, each followed by an Allreduce
 *   calls N          N calls that complete at once; rank 0 prints the microseconds of one */
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

static void senders(void)
{
	int value;

	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank != 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Processor time, so that more ranks than cores all compute as long. */
static void compute(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	volatile double sum = 0;

	while (clock() < end) {
		for (int i = 0; i < 10000; i++)
			sum += i;
	}
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

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "senders";
	double number = argc > 2 ? atof(argv[2]) : 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(what, "compute") == 0)
		compute(number);
	if (strcmp(what, "ring") == 0)
		ring((int)number);
	else if (strcmp(what, "calls") == 0)
		calls((int)number);
	else
		for (int i = 0; i < (strcmp(what, "rounds") == 0 ? (int)number : 1); i++)
			senders();
	MPI_Finalize();
	return 0;
}
