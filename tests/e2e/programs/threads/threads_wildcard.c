/* Two threads of rank 0 each receive with MPI_ANY_SOURCE. */
#include <pthread.h>

#include "../check.h"

static int got[2];

static void *receive(void *place)
{
	MPI_Recv(place, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	return place;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	if (rank > 0) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	} else {
		pthread_create(&thread, NULL, receive, &got[1]);
		receive(&got[0]);
		pthread_join(thread, NULL);
		CHECK(got[0] + got[1] == 3);
	}
	MPI_Finalize();
	return 0;
}
