/* A thread that calls MPI although another one initialised it, which thread levels below
 * MPI_THREAD_SERIALIZED forbid. */
#include <pthread.h>

#include "../check.h"

static void *send_there(void *unused)
{
	int value = 1;

	(void)unused;
	MPI_Send(&value, 1, MPI_INT, 1 - rank, 2, WORLD); /* by the thread */
	return NULL;
}

int main(int argc, char **argv)
{
	int level = argc > 1 ? atoi(argv[1]) : -1, provided, value;
	pthread_t thread;

	if (level < 0)
		MPI_Init(&argc, &argv);
	else
		MPI_Init_thread(&argc, &argv, level, &provided);
	MPI_Comm_rank(WORLD, &rank);
	if (rank == 0) {
		pthread_create(&thread, NULL, send_there, NULL);
		pthread_join(thread, NULL);
		MPI_Recv(&value, 1, MPI_INT, 1, 2, WORLD, IGNORE);
	} else {
		MPI_Recv(&value, 1, MPI_INT, 0, 2, WORLD, IGNORE);
		MPI_Send(&value, 1, MPI_INT, 0, 2, WORLD);
	}
	MPI_Finalize();
	return 0;
}
