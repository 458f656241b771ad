/* For going back: about a second of computing between 100 calls of MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double grid[4096];

__attribute__((noinline)) void begins(void)
{
	grid[0] += 1;
}

__attribute__((noinline)) double work(int turns)
{
	double sum = 0;

	for (int i = 0; i < turns; i++) {
		grid[i & 4095] = grid[(i * 7) & 4095] * 0.999 + 1;
		sum += grid[i & 4095];
	}
	return sum;
}

int main(int argc, char **argv)
{
	const int turns = argc > 1 ? atoi(argv[1]) : 2500000;
	double sum = 0;

	MPI_Init(&argc, &argv);
	begins();
	for (int i = 0; i < 100; i++) {
		sum += work(turns);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	printf("%g\n", sum);
	MPI_Finalize();
	return 0;
}
