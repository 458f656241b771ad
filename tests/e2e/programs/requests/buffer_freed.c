/* Rank 0 gives back the memory of a buffer, in the way that the first argument names, while an
 * operation that the second one names uses it; "late": after the operation is complete. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { COUNT = 3000, BYTES = COUNT * sizeof(int) };

static const char *way;

static int *get(void)
{
	void *buffer;

	if (!strcmp(way, "munmap")) {
		buffer = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		              0);
		if (buffer == MAP_FAILED)
			abort();
	} else if (!strcmp(way, "free_mem")) {
		MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &buffer);
	} else {
		buffer = malloc(BYTES);
	}
	memset(buffer, 1, BYTES);
	return buffer;
}

/* Returns what is left to free. */
static void *give_back(int *buffer)
{
	if (!strcmp(way, "munmap"))
		munmap(buffer, BYTES);
	else if (!strcmp(way, "free_mem"))
		MPI_Free_mem(buffer);
	else if (!strcmp(way, "shrink"))
		return realloc(buffer, BYTES / 2);
	else if (!strcmp(way, "move"))
		return realloc(buffer, 1 << 26);
	else
		free(buffer);
	return NULL;
}

static MPI_Request start(const char *what, int *buffer, int rank)
{
	MPI_Request request = MPI_REQUEST_NULL;

	if (!strcmp(what, "bcast")) {
		MPI_Ibcast(buffer, COUNT, MPI_INT, 0, MPI_COMM_WORLD, &request);
	} else if (!strcmp(what, "persistent")) {
		MPI_Send_init(buffer, COUNT, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
		MPI_Start(&request);
	} else if (!strcmp(what, "partitioned_send")) {
		MPI_Psend_init(buffer, 2, COUNT / 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
		               MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Pready_range(0, 1, request);
	} else if (!strcmp(what, "partitioned_receive")) {
		MPI_Precv_init(buffer, 2, COUNT / 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
		               MPI_INFO_NULL, &request);
		MPI_Start(&request);
	} else if (!strcmp(what, "send")) {
		MPI_Isend(buffer, COUNT, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
	} else {
		MPI_Irecv(buffer, COUNT, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
	}
	return request;
}

/* The other side of it. */
static void answer(const char *what, int *buffer)
{
	MPI_Request request;

	if (!strcmp(what, "bcast")) {
		request = start(what, buffer, 1);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (!strncmp(what, "partitioned", 11)) {
		bool sends = !strcmp(what, "partitioned_receive");

		request = start(sends ? "partitioned_send" : "partitioned_receive", buffer, 1);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
	} else if (!strcmp(what, "receive"))
		MPI_Send(buffer, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(buffer, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const char *what = argv[2];
	bool late = argc > 3;
	MPI_Request request;
	void *left;
	int rank, *buffer, *other;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	way = rank == 0 ? argv[1] : "free";
	buffer = get();
	other = malloc(BYTES);
	if (rank == 0) {
		request = start(what, buffer, rank);
		free(other);
		if (late)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		left = give_back(buffer);
		if (!late)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (request != MPI_REQUEST_NULL)
			MPI_Request_free(&request);
		free(left);
	} else {
		answer(what, buffer);
		free(give_back(buffer));
		free(other);
	}
	MPI_Finalize();
	return 0;
}
