/* In each of two ranks one thread receives what the other rank's second thread would send only
 * after its own receive. */
#include <pthread.h>

#include "../check.h"

static void *pass_on(void *unused)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, 1 - rank, 2, WORLD, IGNORE); /* nobody has sent yet */
	MPI_Send(&value, 1, MPI_INT, 1 - rank, 1, WORLD);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int level, value = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	pthread_create(&thread, NULL, pass_on, NULL);
	MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, WORLD, IGNORE); /* waits for that thread */
	MPI_Send(&value, 1, MPI_INT, 1 - rank, 2, WORLD);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
