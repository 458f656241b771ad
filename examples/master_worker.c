/* A master hands out tasks, and a new one to each worker that has finished. Any order of results is
 * right, and matchpoint finds nothing. With two workers and T tasks (the argument; default 4) there
 * are 2^(T-1) interleavings. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_TASK, TAG_RESULT, TAG_STOP };

static void master(int tasks, int workers)
{
	int next = 0, busy = 0, result, sum = 0;

	for (int worker = 1; worker <= workers; worker++) {
		int tag = next < tasks ? TAG_TASK : TAG_STOP;

		MPI_Send(&next, 1, MPI_INT, worker, tag, MPI_COMM_WORLD);
		next += tag == TAG_TASK;
		busy += tag == TAG_TASK;
	}
	while (busy > 0) {
		MPI_Status status;
		int tag = next < tasks ? TAG_TASK : TAG_STOP;

		MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
		sum += result;
		MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD);
		next += tag == TAG_TASK;
		busy -= tag == TAG_STOP;
	}
	printf("%d\n", sum);
}

static void worker(void)
{
	for (;;) {
		MPI_Status status;
		int task, result;

		MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_STOP)
			return;
		result = task * task;
		MPI_Send(&result, 1, MPI_INT, 0, TAG_RESULT, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		master(argc > 1 ? atoi(argv[1]) : 4, size - 1);
	else
		worker();
	MPI_Finalize();
	return 0;
}
