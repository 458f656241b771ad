/* The program loads from or stores into the buffer of a nonblocking operation: before the call
 * that completes it (`early`), or behind it (`late`). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 5000 }; /* more than a checksum looks at */

static int buffer[COUNT], other[COUNT];

static int is(const char *one, const char *two)
{
	return strcmp(one, two) == 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "irecv_load", *when = argc > 2 ? argv[2] : "late";
	int rank, sum = 0, early = is(when, "early"), done = 0;
	MPI_Request request = MPI_REQUEST_NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < COUNT; i++)
		buffer[i] = other[i] = rank;
	if (is(what, "iallreduce_load"))
		MPI_Iallreduce(other, buffer, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	else if (is(what, "ibcast_store"))
		MPI_Ibcast(buffer, COUNT, MPI_INT, 0, MPI_COMM_WORLD, &request);
	else if (is(what, "persistent_store") && rank == 0) {
		MPI_Send_init(buffer, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		buffer[7] = 1; /* not started yet */
		MPI_Start(&request);
	} else if (rank == 0 && (is(what, "irecv_load") || is(what, "irecv_store")))
		MPI_Irecv(buffer, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
	else if (rank == 0)
		MPI_Isend(buffer, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
	else if (is(what, "irecv_load") || is(what, "irecv_store"))
		MPI_Ssend(other, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(other, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0 && is(when, "test"))
		while (!done)
			MPI_Test(&request, &done, MPI_STATUS_IGNORE);
	if (rank == 0 && is(when, "status"))
		while (!done)
			MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
	if (!early)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (rank == 0 && strstr(what, "_load"))
		sum += buffer[2500]; /* load */
	else if (rank == 0)
		buffer[2500] = buffer[2500] == 8; /* store */
	if (early)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (request != MPI_REQUEST_NULL)
		MPI_Request_free(&request);
	if (rank == 0)
		printf("%d\n", sum > 1);
	MPI_Finalize();
	return 0;
}
