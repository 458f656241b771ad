/* A matched probe, a barrier, and only then MPI_Mrecv. The sender reaches the barrier if its send
 * does not wait for the receive: the mode and the size of the message are arguments. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void send(const char *mode, int *data, int count)
{
	MPI_Request request;

	if (strcmp(mode, "ssend") == 0) {
		MPI_Ssend(data, count, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else if (strcmp(mode, "start") == 0) {
		MPI_Ssend_init(data, count, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
	} else if (strcmp(mode, "sendrecv") == 0) {
		MPI_Sendrecv(data, count, MPI_INT, 1, 0, NULL, 0, MPI_INT, MPI_PROC_NULL, 0,
		             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(data, count, MPI_INT, 1, 0, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank, count = argc > 2 ? atoi(argv[2]) : 1;
	const char *mode = argc > 1 ? argv[1] : "send";
	int *data = calloc((size_t)count, sizeof(int));
	MPI_Request request = MPI_REQUEST_NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		data[count - 1] = 7;
		if (strcmp(mode, "issend") == 0)
			MPI_Issend(data, count, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		else
			send(mode, data, count);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Message message;
		int found = 0;

		if (strcmp(mode, "issend") == 0) {
			while (!found)
				MPI_Improbe(0, 0, MPI_COMM_WORLD, &found, &message,
				            MPI_STATUS_IGNORE);
		} else {
			MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		if (strcmp(mode, "issend") == 0) {
			MPI_Imrecv(data, count, MPI_INT, &message, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		} else {
			MPI_Mrecv(data, count, MPI_INT, &message, MPI_STATUS_IGNORE);
		}
		printf("%d\n", data[count - 1]);
	}
	free(data);
	MPI_Finalize();
	return 0;
}
