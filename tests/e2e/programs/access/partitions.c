/* Partitioned communication: stores into a partition that is ready, loads from a partition that has
 * not arrived, before its MPI_Start, and between MPI_Parrived and MPI_Wait. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { PARTITIONS = 3, COUNT = 4 };

static int buffer[PARTITIONS * COUNT];

static int is(const char *one, const char *two)
{
	return strcmp(one, two) == 0;
}

static int receive(const char *what)
{
	MPI_Request request;
	int sum = 0, arrived = 0;

	MPI_Precv_init(buffer, PARTITIONS, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
	               &request);
	buffer[1] = 1;       /* not started yet */
	MPI_Start(&request); /* receives */
	if (is(what, "load_early"))
		sum += buffer[1]; /* load */
	while (!arrived)
		MPI_Parrived(request, 0, &arrived);
	sum += buffer[1]; /* it has arrived */
	if (is(what, "load_other"))
		sum += buffer[COUNT + 1]; /* load */
	if (is(what, "store_other"))
		buffer[2 * COUNT] = 1; /* store */
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	sum += buffer[COUNT];
	MPI_Request_free(&request);
	return sum;
}

static void send(const char *what)
{
	const int list[] = {1, 2};
	MPI_Request request;

	MPI_Psend_init(buffer, PARTITIONS, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
	               &request);
	MPI_Start(&request);
	for (int i = 0; i < COUNT; i++)
		buffer[i] = i;
	MPI_Pready(0, request); /* ready */
	if (is(what, "store_ready"))
		buffer[1] = 5; /* store */
	for (int i = COUNT; i < PARTITIONS * COUNT; i++)
		buffer[i] = i + buffer[0];
	if (is(what, "list"))
		MPI_Pready_list(2, list, request); /* ready */
	else
		MPI_Pready_range(1, 2, request); /* ready */
	if (is(what, "store_last") || is(what, "list"))
		buffer[2 * COUNT] = 5; /* store */
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	buffer[1] = 7; /* it is complete */
	MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "right";
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		send(what);
	else
		printf("%d\n", receive(what) > 0);
	MPI_Finalize();
	return 0;
}
