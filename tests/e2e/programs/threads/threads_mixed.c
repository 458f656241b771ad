/* Threads that poll, that wait for each other outside MPI, that complete what another has started,
 * and that make threads. */
#include <pthread.h>
#include <unistd.h>

#include "../check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static MPI_Request request;
static int started, received;

/* Completes what the first thread has started. */
static void *complete(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!started)
		pthread_cond_wait(&ready, &mutex);
	pthread_mutex_unlock(&mutex);
	MPI_Wait(&request, IGNORE);
	CHECK(received == 1);
	return unused;
}

static void *poll_and_answer(void *unused)
{
	int there = 0, value;
	MPI_Status status;
	MPI_Request own;

	while (!there)
		MPI_Iprobe(1 - rank, 2, WORLD, &there, &status);
	MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 2, WORLD, &own);
	for (there = 0; !there;)
		MPI_Test(&own, &there, IGNORE);
	CHECK(value == 2);
	return unused;
}

static void *make_another(void *unused)
{
	pthread_t thread;

	usleep(3000);
	pthread_create(&thread, NULL, poll_and_answer, NULL);
	pthread_join(thread, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	const int one = 1, two = 2;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	pthread_create(&threads[0], NULL, complete, NULL);
	pthread_create(&threads[1], NULL, make_another, NULL);
	MPI_Irecv(&received, 1, MPI_INT, 1 - rank, 1, WORLD, &request);
	pthread_mutex_lock(&mutex);
	started = 1;
	pthread_cond_broadcast(&ready);
	pthread_mutex_unlock(&mutex);
	MPI_Send(&one, 1, MPI_INT, 1 - rank, 1, WORLD);
	MPI_Send(&two, 1, MPI_INT, 1 - rank, 2, WORLD);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	MPI_Barrier(WORLD);
	MPI_Finalize();
	return 0;
}
