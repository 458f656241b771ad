/* MPI_Intercomm_create, whose leaders meet in a step of their own, in a thread
 * that does not initialise MPI, and then in the one that does. */
#include "../check.h"

#include <pthread.h>

struct work {
	MPI_Comm peer;
	int tag, sum;
};

static void *create(void *argument)
{
	struct work *work = argument;
	MPI_Comm inter, merged;

	MPI_Intercomm_create(MPI_COMM_SELF, 0, work->peer, 1 - rank, work->tag, &inter);
	MPI_Intercomm_merge(inter, rank, &merged);
	MPI_Allreduce(&work->tag, &work->sum, 1, MPI_INT, MPI_SUM, merged);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided;
	struct work first = {.tag = 5}, second = {.tag = 6};
	pthread_t thread;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_dup(WORLD, &first.peer);
	pthread_create(&thread, NULL, create, &first);
	pthread_join(thread, NULL);
	CHECK(first.sum == 10);
	MPI_Comm_free(&first.peer);
	MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, 1 - rank, second.tag, &second.peer);
	MPI_Comm_free(&second.peer);
	MPI_Finalize();
	return 0;
}
