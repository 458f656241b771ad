/* The right order: each message that a matched probe takes is received before anything else is
 * waited for. Synchronous sends, some of large messages, from two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 50000 };

int main(int argc, char **argv)
{
	static int data[LARGE];
	int rank, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	data[0] = rank;
	if (rank > 0) {
		MPI_Ssend(data, rank == 1 ? LARGE : 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Send(data, rank == 1 ? 1 : LARGE, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	for (int i = 0; rank == 0 && i < 4; i++) {
		MPI_Message message;
		MPI_Status status;
		MPI_Request request;
		int count;

		MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
		MPI_Get_count(&status, MPI_INT, &count);
		if (i % 2) {
			MPI_Mrecv(data, count, MPI_INT, &message, MPI_STATUS_IGNORE);
		} else {
			MPI_Imrecv(data, count, MPI_INT, &message, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		}
		sum += data[0];
	}
	if (rank == 0)
		printf("%d\n", sum);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
