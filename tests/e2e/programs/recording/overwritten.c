/* Each rank sums what the others send, in a heap block. In round WRONG rank 1 takes one value too
 * many, and overwrites the pointer behind the cells, which it uses 100 calls later. Arguments: a
 * file, of which a line is read in each round; "well": without the use; "spin": rank 0 computes
 * before it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40, WRONG = 5, VALUES = 8, GAP = 2 };

struct cells {
	double value[VALUES];
};
struct edge {
	double *wall;
};

static struct cells *cells;
static struct edge *edge;
static double wall[VALUES];
static int rank;

static void store(int at, double value)
{
	cells->value[at] += value; /* at may be VALUES */
}

static void take(const double *values, int count)
{
	for (int i = 0; i < count; i++)
		store(i, values[i]);
}

static double at_edge(const struct edge *of)
{
	return of->wall[1];
}

static void exchange(int round)
{
	double mine[VALUES + 4], theirs[VALUES + 4];
	const int count = rank == 1 && round == WRONG ? VALUES + GAP + 1 : VALUES;

	for (int i = 0; i < VALUES + 4; i++)
		mine[i] = rank + 0.5 * i + round;
	MPI_Sendrecv(mine, VALUES + 4, MPI_DOUBLE, (rank + 1) % 3, 7, theirs, VALUES + 4,
	             MPI_DOUBLE, (rank + 2) % 3, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	take(theirs, count);
}

static double sum_up(double value)
{
	double sum = 0;

	MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

/* Some seconds without a call. */
static double spin(void)
{
	volatile double x = 1;

	for (long i = 0; i < 1500000000L; i++)
		x = x * 0.5 + 1;
	return x;
}

int main(int argc, char **argv)
{
	FILE *numbers;
	double total = 0;
	char line[64];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	numbers = argc > 1 ? fopen(argv[1], "r") : NULL;
	cells = calloc(1, sizeof(*cells) + GAP * sizeof(double) + sizeof(*edge));
	edge = (struct edge *)(cells->value + VALUES + GAP);
	edge->wall = wall;
	for (int round = 0; round < ROUNDS; round++) {
		if (numbers && fgets(line, sizeof(line), numbers))
			total += atof(line);
		exchange(round);
		total += sum_up(cells->value[0]);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	printf("rank %d: %.3f\n", rank, total);
	fflush(stdout);
	if (rank == 0 && argc > 2 && strcmp(argv[2], "spin") == 0)
		total += spin();
	if (argc <= 2 || strcmp(argv[2], "well") != 0)
		total += at_edge(edge);
	MPI_Finalize();
	return total < 0;
}
