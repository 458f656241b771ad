/* A solver creates a communicator, and a datatype for the columns that it exchanges, in each call,
 * and frees neither. After some thousand steps MPI runs out of communicators. With the argument
 * "free" it cleans up. */
#include <mpi.h>
#include <string.h>

enum { STEPS = 3, ROWS = 4, COLUMNS = 5 };

static int frees;

static void solve(double *matrix)
{
	MPI_Comm own;
	MPI_Datatype column;
	int rank, size;

	MPI_Comm_dup(MPI_COMM_WORLD, &own);
	MPI_Comm_rank(own, &rank);
	MPI_Comm_size(own, &size);
	MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv_replace(matrix, 1, column, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
	                     own, MPI_STATUS_IGNORE);
	if (frees) {
		MPI_Type_free(&column);
		MPI_Comm_free(&own);
	}
}

int main(int argc, char **argv)
{
	double matrix[ROWS * COLUMNS] = {0};

	MPI_Init(&argc, &argv);
	frees = argc > 1 && strcmp(argv[1], "free") == 0;
	for (int step = 0; step < STEPS; step++)
		solve(matrix);
	MPI_Finalize();
	return 0;
}
