/* On rank 1 the function of a user-defined operation does not return, or ends the job. The first
 * argument names the call in which MPI executes it; the second says that threads may call MPI. */
#include <unistd.h>

#include "../check.h"

static const char *what;

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)type;
	for (volatile int stays = rank == 1; stays;) {
		if (strstr(what, "sleeps"))
			pause();
		if (strstr(what, "aborts"))
			MPI_Abort(WORLD, 3);
	}
	for (int i = 0; i < *count; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void nonblocking(MPI_Op sum)
{
	int result = 0, most = 0, done = 0;
	MPI_Request request;

	if (strstr(what, "scan"))
		MPI_Iscan(&rank, &result, 1, MPI_INT, sum, WORLD, &request);
	else
		MPI_Iallreduce(&rank, &result, 1, MPI_INT, sum, WORLD, &request);
	if (strstr(what, "later"))
		MPI_Allreduce(&rank, &most, 1, MPI_INT, MPI_MAX, WORLD); /* later */
	while (strstr(what, "test") && !done)
		MPI_Test(&request, &done, IGNORE); /* test */
	MPI_Wait(&request, IGNORE);                /* wait */
}

int main(int argc, char **argv)
{
	int provided, result = 0;
	MPI_Op sum;

	what = argc > 1 ? argv[1] : "";
	MPI_Init_thread(&argc, &argv, argc > 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
	                &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Op_create(operation, 1, &sum);
	if (strstr(what, "local"))
		MPI_Reduce_local(&rank, &result, 1, MPI_INT, sum); /* local */
	else if (strstr(what, "blocking"))
		MPI_Allreduce(&rank, &result, 1, MPI_INT, sum, WORLD); /* blocking */
	else
		nonblocking(sum);
	MPI_Op_free(&sum);
	MPI_Finalize();
	return 0;
}
