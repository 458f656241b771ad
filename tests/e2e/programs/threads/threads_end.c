/* A thread of each rank sends or receives and ends, while the first thread continues. The moment
 * from which that one is alone and need not wait for turns must not depend on time. */
#include <mpi.h>
#include <pthread.h>

static int rank;

static void send(int tag)
{
	MPI_Send(&rank, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD);
}

static void receive(int source, int tag)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *receiver(void *unused)
{
	receive(MPI_ANY_SOURCE, 1);
	receive(1, 1);
	receive(1, 0);
	return unused;
}

static void *sender(void *unused)
{
	send(1);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&thread, NULL, rank == 0 ? receiver : sender, NULL);
	if (rank == 0) {
		send(0);
		receive(1, 0);
	} else {
		send(1);
		receive(0, 0);
		send(0);
		send(0);
	}
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
