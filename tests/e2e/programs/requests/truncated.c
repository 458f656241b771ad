/* A message that is too long for its receive. The first argument names the call that completes the
 * receive, the second one is "long" or, where the message fits, "fits". "two": of two messages that
 * are too long, the one whose receive is completed first, but matched last. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void complete(const char *how, MPI_Request *requests)
{
	int index, count = 0, flag = 0, indices[2];
	MPI_Status statuses[2];

	if (strcmp(how, "wait") == 0) {
		MPI_Wait(&requests[0], &statuses[0]);
		MPI_Wait(&requests[1], &statuses[0]);
	} else if (strcmp(how, "two") == 0) {
		MPI_Wait(&requests[1], &statuses[0]);
		MPI_Wait(&requests[0], &statuses[0]);
	} else if (strcmp(how, "waitall") == 0) {
		MPI_Waitall(2, requests, statuses);
	} else if (strcmp(how, "waitall_ignore") == 0) {
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	} else if (strcmp(how, "waitany") == 0) {
		MPI_Waitany(2, requests, &index, &statuses[0]);
		MPI_Waitany(2, requests, &index, &statuses[0]);
	} else if (strcmp(how, "waitsome") == 0) {
		for (int done = 0; done < 2; done += count)
			MPI_Waitsome(2, requests, &count, indices, statuses);
	} else if (strcmp(how, "test") == 0) {
		for (int i = 0; i < 2; i++, flag = 0)
			while (!flag)
				MPI_Test(&requests[i], &flag, &statuses[0]);
	} else if (strcmp(how, "testall") == 0) {
		while (!flag)
			MPI_Testall(2, requests, &flag, statuses);
	} else if (strcmp(how, "testany") == 0) {
		for (int i = 0; i < 2; i += flag)
			MPI_Testany(2, requests, &index, &flag, &statuses[0]);
	} else if (strcmp(how, "testsome") == 0) {
		for (int done = 0; done < 2; done += count)
			MPI_Testsome(2, requests, &count, indices, statuses);
	}
}

int main(int argc, char **argv)
{
	int rank, fits, data[8] = {0}, in[2][8];
	MPI_Request requests[2];
	MPI_Message message;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	fits = strcmp(argv[2], "fits") == 0;
	if (rank == 1) {
		MPI_Send(data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Send(data, 4, MPI_INT, 0, 2, MPI_COMM_WORLD);
		if (strcmp(argv[1], "two") == 0)
			MPI_Send(data, 6, MPI_INT, 0, 3, MPI_COMM_WORLD);
	} else if (strcmp(argv[1], "recv") == 0) {
		MPI_Recv(in[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(in[1], fits ? 4 : 3, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (strstr(argv[1], "mrecv")) {
		MPI_Recv(in[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Mprobe(1, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		if (strcmp(argv[1], "mrecv") == 0)
			MPI_Mrecv(in[1], fits ? 4 : 3, MPI_INT, &message, MPI_STATUS_IGNORE);
		else
			MPI_Imrecv(in[1], fits ? 4 : 3, MPI_INT, &message, &requests[0]);
		if (strcmp(argv[1], "imrecv") == 0)
			MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	} else if (strcmp(argv[1], "two") == 0) {
		MPI_Recv(in[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Irecv(in[0], fits ? 6 : 5, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(in[1], fits ? 4 : 3, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]);
		complete(argv[1], requests);
	} else {
		MPI_Irecv(in[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(in[1], fits ? 4 : 3, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]);
		complete(argv[1], requests);
	}
	MPI_Finalize();
	return 0;
}
