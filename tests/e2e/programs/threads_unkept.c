/* One thread sends what another thread of its rank has told it to, through memory, when that has
 * received: no message that the receive could take as well, though MPI does not show it. Without
 * an argument the thread sends nothing if it has not been told; else it waits, in a loop. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "check.h"

enum { DATA = 1, ASK, WORK };

static atomic_bool received;

static void *hand_on(void *waits)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, ASK, WORLD, IGNORE);
	while (waits && !received)
		;
	if (received)
		MPI_Send(&value, 1, MPI_INT, 2, WORK, WORLD);
	return NULL;
}

static void collect(void *waits)
{
	MPI_Status status;
	pthread_t thread;
	int value;

	pthread_create(&thread, NULL, hand_on, waits);
	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, DATA, WORLD, &status);
	CHECK(status.MPI_SOURCE == 1);
	received = true;
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
		collect(argc > 1 ? &value : NULL);
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
