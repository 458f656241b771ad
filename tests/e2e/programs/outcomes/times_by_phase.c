/* A right program that prints times: in each phase the least, the average and the greatest over
 * all ranks, and a table at the end. Everything else that it prints is the same in each
 * interleaving. Argument 1: how times are printed. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define PHASES 2

static const char *kind;

/* The clock and the format that are asked for. */
static double now(void)
{
	struct timespec exact;

	if (strcmp(kind, "ticks") == 0)
		return (double)times(&(struct tms){0}) / (double)sysconf(_SC_CLK_TCK);
	if (strcmp(kind, "cpu") == 0)
		return (double)clock() / CLOCKS_PER_SEC;
	if (strcmp(kind, "width") == 0) {
		clock_gettime(CLOCK_MONOTONIC, &exact);
		return (double)exact.tv_sec + (double)exact.tv_nsec * 1e-9;
	}
	return MPI_Wtime();
}

static const char *format(void)
{
	if (strcmp(kind, "width") == 0)
		return "%s: min %g avg %g max %g s\n";
	return "%s: min %f avg %f max %f s\n";
}

/* 20 ms, so that snapshots are taken. */
static void compute(void)
{
	static volatile double sink;
	double begin = MPI_Wtime();

	while (MPI_Wtime() - begin < 0.02)
		for (int i = 0; i < 1000; i++)
			sink += i;
}

static void print(const char *what, double mine)
{
	double least, greatest, sum;
	int rank, size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Reduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
	MPI_Reduce(&mine, &greatest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf(format(), what, least, sum / size, greatest);
	fflush(stdout);
}

static int exchange(int rank, int size)
{
	int value = rank, sum = 0;

	if (rank > 0)
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sum += value;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	return sum;
}

int main(int argc, char **argv)
{
	double total, waited[PHASES];
	int rank, size;

	kind = argv[1];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	total = now();
	printf("rank %d of %d, process %d\n", rank, size, getpid());
	for (int phase = 0; phase < PHASES; phase++) {
		double begin = now();
		int sum;

		compute();
		print("compute", now() - begin);
		begin = now();
		sum = exchange(rank, size);
		waited[phase] = now() - begin;
		if (rank == 0)
			printf("phase %d: sum %d\n", phase, sum);
	}
	print("total", now() - total);
	for (int phase = 0; phase < PHASES; phase++)
		print("exchange", waited[phase]);
	MPI_Finalize();
	return 0;
}
