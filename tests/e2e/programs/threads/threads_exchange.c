/* One thread of a rank sends while the other receives: either could block the other if they ran one
 * after another. */
#include <pthread.h>
#include <unistd.h>

#include "../check.h"

static void *receive(void *unused)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, WORLD, IGNORE);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	if (rank == 1)
		usleep(100000); /* so that rank 0 does not rest before its other thread has called
		                 * MPI */
	pthread_create(&thread, NULL, receive, NULL);
	usleep(20000);
	MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, WORLD);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
