/* Rank 0 crashes inside an MPI call, which the argument names, or in its own code: the finding has
 * the call that it crashed in, even if that is not reported. */
#include "../check.h"

#include <pthread.h>

static void *bad = (void *)8; /* an address where nothing is mapped */

static void own(void)
{
	*(volatile int *)bad = 1; /* own code */
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)count, (void)type;
	*(volatile int *)bad = 2; /* operation */
}

static void *packs(void *unused)
{
	int at = 0;

	MPI_Pack(bad, 4, MPI_INT, (char[64]){0}, 64, &at, WORLD); /* thread */
	return unused;
}

static void crash(const char *how)
{
	int value = 0, sum = 0, sizes[2] = {1, 1};
	MPI_Aint places[2] = {0, 8};
	MPI_Datatype type;
	MPI_Op op;

	if (strcmp(how, "type") == 0)
		MPI_Type_create_struct(2, sizes, places, bad, &type); /* type */
	if (strcmp(how, "count") == 0)
		MPI_Get_count(bad, MPI_INT, &value); /* count */
	if (strcmp(how, "split") == 0)
		MPI_Comm_split(MPI_COMM_SELF, 0, 0, bad); /* split */
	if (strcmp(how, "send") == 0)
		MPI_Send(bad, 4, MPI_INT, 1, 5, WORLD); /* send */
	for (int i = 0; strcmp(how, "receive") == 0; i++)
		MPI_Recv(&value, 1, MPI_INT, 1, i, WORLD, i == 1 ? bad : IGNORE); /* receive */
	if (strcmp(how, "operation") == 0) {
		MPI_Op_create(add, 1, &op);
		MPI_Reduce_local(&value, &sum, 1, MPI_INT, op);
	}
	if (strcmp(how, "thread") == 0) {
		pthread_t thread;
		pthread_create(&thread, NULL, packs, NULL);
		pthread_join(thread, NULL);
	}
	if (strcmp(how, "own") == 0)
		own();
}

int main(int argc, char **argv)
{
	int provided, value;

	if (strcmp(argv[1], "thread") == 0)
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	if (rank == 0)
		crash(argv[1]);
	else if (strcmp(argv[1], "receive") == 0)
		for (int i = 0; i < 2; i++)
			MPI_Send(&i, 1, MPI_INT, 0, i, WORLD);
	else if (strcmp(argv[1], "send") == 0)
		MPI_Recv((int[4]){0}, 4, MPI_INT, 0, 5, WORLD, IGNORE);
	value = rank;
	MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
	MPI_Finalize();
	return 0;
}
