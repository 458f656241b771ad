/* A long computation, and then the first answer wins. Each worker gets another result, so there are
 * as many outcomes as workers. Checkpoints on disk run the computation once. The argument is the
 * time for it, in seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double compute(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	double sum = 0;

	while (clock() < end)
		for (int i = 1; i < 1000; i++)
			sum += 1.0 / i;
	return sum > 0;
}

int main(int argc, char **argv)
{
	int rank, size, answer;
	double one;
	MPI_Status first;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	one = compute(argc > 1 ? atof(argv[1]) : 0);
	if (rank == 0) {
		MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &first);
		for (int i = 2; i < size; i++)
			MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		compute(argc > 1 ? atof(argv[1]) : 0);
		printf("worker %d was first\n", first.MPI_SOURCE);
	} else {
		answer = rank * (int)one;
		MPI_Send(&answer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
