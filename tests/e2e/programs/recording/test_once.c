/* Rank 0 tests once for each message, and does something else if it is not there. When it runs
 * freely, the message has come long before. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 2 };

int main(int argc, char **argv)
{
	int rank, value = 0, flag;
	MPI_Request request;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank > 0) {
			MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
			continue;
		}
		usleep(300000);
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		printf("%s\n", flag ? "at once" : "later");
		if (!flag)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
