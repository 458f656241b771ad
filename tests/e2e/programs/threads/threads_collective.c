/* Two threads of a rank in collectives on one communicator (MPI 3.1, section 12.4.3). By the
 * argument, wrong: "two" different ones at the same time, "same" the same one, "barriers" two
 * barriers, "later" an Ibarrier concurrent with it. Right: "apart" on separate communicators, and
 * "joined" one after the other. */
#include "../check.h"

#include <pthread.h>
#include <stdbool.h>

static MPI_Comm own;
static int number, sum;

static void *barrier(void *comm)
{
	MPI_Barrier(*(MPI_Comm *)comm);
	return NULL;
}

static void *reduce(void *comm)
{
	int other = 0;

	MPI_Allreduce(&rank, &other, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm);
	return NULL;
}

static void *starts_barrier(void *comm)
{
	MPI_Request request;

	MPI_Ibarrier(*(MPI_Comm *)comm, &request);
	MPI_Wait(&request, IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	bool joined = strcmp(which, "joined") == 0, apart = strcmp(which, "apart") == 0;
	MPI_Comm world = WORLD;
	pthread_t thread;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_dup(WORLD, &own);
	pthread_create(&thread, NULL,
	               strcmp(which, "same") == 0    ? reduce
	               : strcmp(which, "later") == 0 ? starts_barrier
	                                             : barrier,
	               apart ? &own : &world);
	if (joined)
		pthread_join(thread, NULL);
	if (strcmp(which, "barriers") == 0)
		MPI_Barrier(WORLD);
	else
		MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* at the same time */
	if (!joined)
		pthread_join(thread, NULL);
	MPI_Comm_free(&own);
	MPI_Finalize();
	return 0;
}
