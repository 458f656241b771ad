/* Two threads receive from the same rank: either message can go to either thread, but the program
 * assumes that the first message goes to the first thread. */
#include <pthread.h>

#include "../check.h"

static int got[2];

static void *receive(void *place)
{
	MPI_Recv(place, 1, MPI_INT, 1, 0, WORLD, IGNORE); /* the race */
	return place;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	if (rank == 1) {
		for (int i = 0; i < 2; i++)
			MPI_Send(&i, 1, MPI_INT, 0, 0, WORLD);
	} else {
		pthread_create(&thread, NULL, receive, &got[1]);
		receive(&got[0]);
		pthread_join(thread, NULL);
		if (got[0] > got[1])
			MPI_Abort(WORLD, 5); /* never thought of */
	}
	MPI_Finalize();
	return 0;
}
