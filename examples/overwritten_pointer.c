/* A pointer on the heap that is overwritten, and used 100 calls later.
 *
 * The ranks pass values round in a ring. In one step rank 0 sends one value too many. Rank 1 does
 * not look at the number, and adds that value to what lies behind its own: a pointer. It uses the
 * pointer only after the last step. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 38, LONG_STEP = 4, VALUES = 8 };

struct cells {
	double value[VALUES];
	double *wall;
};

static double wall[VALUES] = {1};
static struct cells *cells;
static int rank, size;

static void add(int at, double value)
{
	cells->value[at] += value;
}

static void pass_on(int step)
{
	double mine[VALUES + 1], theirs[VALUES + 1];
	int count = rank == 0 && step == LONG_STEP ? VALUES + 1 : VALUES;
	MPI_Status status;

	for (int i = 0; i <= VALUES; i++)
		mine[i] = rank + i + step;
	MPI_Sendrecv(mine, count, MPI_DOUBLE, (rank + 1) % size, 7, theirs, VALUES + 1, MPI_DOUBLE,
	             (rank + size - 1) % size, 7, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_DOUBLE, &count);
	for (int i = 0; i < count; i++)
		add(i, theirs[i]);
}

int main(int argc, char **argv)
{
	double sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	cells = calloc(1, sizeof(*cells));
	cells->wall = wall;
	for (int step = 0; step < STEPS; step++) {
		pass_on(step);
		MPI_Allreduce(&cells->value[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	printf("rank %d: %.0f\n", rank, sum + cells->wall[0]);
	free(cells);
	MPI_Finalize();
	return 0;
}
