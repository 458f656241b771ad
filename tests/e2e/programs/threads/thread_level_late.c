/* A thread calls MPI while the rank's first one waits, for longer than a moment, for the result: no
 * deadlock, but wrong below MPI_THREAD_MULTIPLE. With "asks" it makes a local query, which is as
 * wrong. With "both" each rank has such a thread. */
#include <pthread.h>
#include <unistd.h>

#include "../check.h"

static int asks, both;

static void *call_late(void *unused)
{
	int value = 1, flag;

	(void)unused;
	MPI_Is_thread_main(&flag); /* is always right */
	usleep(both ? 0 : 100000);
	if (asks)
		MPI_Comm_size(WORLD, &value);             /* it asks */
	MPI_Send(&value, 1, MPI_INT, 1 - rank, 2, WORLD); /* it sends */
	return NULL;
}

int main(int argc, char **argv)
{
	int level = atoi(argv[1]), provided, value;
	pthread_t thread;

	asks = argc > 2;
	both = asks && argv[2][0] == 'b';
	MPI_Init_thread(&argc, &argv, level, &provided);
	MPI_Comm_rank(WORLD, &rank);
	if (rank == 0 || both) {
		pthread_create(&thread, NULL, call_late, NULL);
		MPI_Recv(&value, 1, MPI_INT, 1, 2, WORLD, IGNORE);
		pthread_join(thread, NULL);
	} else {
		MPI_Recv(&value, 1, MPI_INT, 0, 2, WORLD, IGNORE);
		MPI_Send(&value, 1, MPI_INT, 0, 2, WORLD);
	}
	MPI_Finalize();
	return 0;
}
