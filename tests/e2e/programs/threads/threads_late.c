/* One thread causes a message to be sent after another thread of its rank has received, but not
 * because of that: the receive can take that message as well. */
#include <pthread.h>

#include "../check.h"

enum { DATA = 1, ASK, WORK };

static void *hand_on(void *unused)
{
	int value;

	(void)unused;
	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, ASK, WORLD, IGNORE);
	MPI_Send(&value, 1, MPI_INT, 2, WORK, WORLD);
	return NULL;
}

static void collect(void)
{
	MPI_Status status;
	pthread_t thread;
	int value;

	pthread_create(&thread, NULL, hand_on, NULL);
	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, DATA, WORLD, &status); /* the race */
	if (status.MPI_SOURCE == 2)
		MPI_Abort(WORLD, 6); /* never thought of */
	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, DATA, WORLD, IGNORE);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int value = 0, provided;
	MPI_Request request;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(WORLD, &rank);
	CHECK(provided == MPI_THREAD_MULTIPLE);
	if (rank == 0) {
		collect();
	} else if (rank == 1) {
		MPI_Isend(&value, 1, MPI_INT, 0, DATA, WORLD, &request);
		MPI_Send(&value, 1, MPI_INT, 0, ASK, WORLD);
		MPI_Wait(&request, IGNORE);
	} else {
		MPI_Recv(&value, 1, MPI_INT, 0, WORK, WORLD, IGNORE);
		MPI_Send(&value, 1, MPI_INT, 0, DATA, WORLD);
	}
	MPI_Finalize();
	return 0;
}
