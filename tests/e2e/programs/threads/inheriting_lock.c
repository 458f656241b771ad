/* The kernel knows the owner of a mutex that inherits priorities by the number of its thread, as
 * soon as another thread waits for it. A rank holds such a mutex across MPI calls, and a thread
 * that it makes then waits for it. */
#include "../check.h"

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static int taken;

static void *take(void *unused)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);
	taken++;
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	return unused;
}

static void compute(void)
{
	volatile double sum = 0;

	for (int i = 0; i < 100000000; i++)
		sum += i;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attributes;
	pthread_t thread;
	int got;

	pthread_mutexattr_init(&attributes);
	CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
	pthread_mutex_init(&mutex, &attributes);
	CHECK(pthread_mutex_lock(&mutex) == 0);
	start(&argc, &argv);
	compute();
	MPI_Barrier(WORLD);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	CHECK(pthread_create(&thread, NULL, take, NULL) == 0);
	usleep(100000); /* it waits */
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(taken == 1);
	MPI_Finalize();
	return 0;
}
