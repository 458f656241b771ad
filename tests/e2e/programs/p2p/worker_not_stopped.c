/* The master gives more work to the worker that answers first. It assumes that this is worker 1. If
 * it is worker 2, worker 1 never gets the message to stop. Workers read from the tag what to do.
 * For 3 ranks. */
#include <mpi.h>

enum { RESULT, WORK, STOP };

static int data;

static void send(int worker, int tag)
{
	MPI_Send(&data, 1, MPI_INT, worker, tag, MPI_COMM_WORLD);
}

static int receive(int worker)
{
	MPI_Status status;

	MPI_Recv(&data, 1, MPI_INT, worker, RESULT, MPI_COMM_WORLD, &status);
	return status.MPI_SOURCE;
}

static void master(void)
{
	if (receive(MPI_ANY_SOURCE) == 1) {
		send(1, WORK);
		receive(1);
		send(1, STOP);
		receive(2);
		send(2, STOP);
	} else {
		send(2, STOP);
		receive(1);
		send(1, WORK);
		receive(1);
	}
}

static void worker(void)
{
	MPI_Status status = {0};

	for (status.MPI_TAG = WORK; status.MPI_TAG == WORK;) {
		send(0, RESULT);
		MPI_Recv(&data, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	}
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		master();
	else
		worker();
	MPI_Finalize();
	return 0;
}
