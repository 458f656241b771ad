/* Rank 0 repeats a call that returns at once and has to do with no other rank: for ever, or, with a
 * second argument above 0, so many times. Each time it makes the poll that a third argument names,
 * in vain. Rank 1 waits in MPI_Barrier. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS = 4 };

static MPI_Request requests[REQUESTS];
static MPI_Status statuses[REQUESTS];
static int rank, count, flag, value, which[REQUESTS];

static void call(const char *name)
{
	MPI_Message message;

	if (!strcmp(name, "waitsome"))
		MPI_Waitsome(REQUESTS, requests, &count, which, statuses);
	else if (!strcmp(name, "waitany"))
		MPI_Waitany(REQUESTS, requests, which, statuses);
	else if (!strcmp(name, "waitall"))
		MPI_Waitall(REQUESTS, requests, statuses);
	else if (!strcmp(name, "wait"))
		MPI_Wait(requests, statuses);
	else if (!strcmp(name, "testsome"))
		MPI_Testsome(REQUESTS, requests, &count, which, statuses);
	else if (!strcmp(name, "testany"))
		MPI_Testany(REQUESTS, requests, which, &flag, statuses);
	else if (!strcmp(name, "testall"))
		MPI_Testall(REQUESTS, requests, &flag, statuses);
	else if (!strcmp(name, "test"))
		MPI_Test(requests, &flag, statuses);
	else if (!strcmp(name, "probe"))
		MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, statuses);
	else if (!strcmp(name, "iprobe"))
		MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, statuses);
	else if (!strcmp(name, "mprobe")) {
		MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, statuses);
		MPI_Mrecv(&value, 1, MPI_INT, &message, statuses);
	} else if (!strcmp(name, "send"))
		MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	else if (!strcmp(name, "receive"))
		MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, statuses);
	else if (!strcmp(name, "sendrecv"))
		MPI_Sendrecv(&rank, 1, MPI_INT, rank, 0, &value, 1, MPI_INT, rank, 0,
		             MPI_COMM_WORLD, statuses);
	else if (!strcmp(name, "isend")) {
		MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
		MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
		MPI_Waitall(REQUESTS, requests, statuses);
	} else if (!strcmp(name, "barrier"))
		MPI_Barrier(MPI_COMM_SELF);
	else if (!strcmp(name, "allreduce"))
		MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
	else if (!strcmp(name, "several")) {
		call("send");
		call("waitsome");
		call("sendrecv");
	} else
		abort();
}

/* Asks for what rank 1 sends after the barrier. */
static void poll(const char *name, MPI_Request *pending)
{
	MPI_Message message;

	if (!strcmp(name, "test"))
		MPI_Test(pending, &flag, statuses);
	else if (!strcmp(name, "testall"))
		MPI_Testall(1, pending, &flag, statuses);
	else if (!strcmp(name, "testany"))
		MPI_Testany(1, pending, which, &flag, statuses);
	else if (!strcmp(name, "testsome"))
		MPI_Testsome(1, pending, &count, which, statuses);
	else if (!strcmp(name, "status"))
		MPI_Request_get_status(*pending, &flag, statuses);
	else if (!strcmp(name, "iprobe"))
		MPI_Iprobe(1, 8, MPI_COMM_WORLD, &flag, statuses);
	else if (!strcmp(name, "improbe"))
		MPI_Improbe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &flag, &message, statuses);
	else
		abort();
}

static void repeat(int argc, char **argv, MPI_Request *pending)
{
	int most = argc > 2 ? atoi(argv[2]) : 0;

	for (int i = 0; value >= 0 && (most == 0 || i < most); i += most > 0) {
		if (argc > 3)
			poll(argv[3], pending);
		call(argv[1]);
	}
}

int main(int argc, char **argv)
{
	MPI_Request pending;
	int answer = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < REQUESTS; i++)
		requests[i] = MPI_REQUEST_NULL;
	if (rank == 0) {
		MPI_Irecv(&answer, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &pending);
		repeat(argc, argv, &pending);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Wait(&pending, MPI_STATUS_IGNORE);
	else if (rank == 1)
		MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
