/* A race without MPI_ANY_SOURCE: MPI_Waitany reports the answer that arrives first. The master
 * handles only the case that worker 1 is first. If worker 2 is first, the master does not send the
 * message that lets worker 2 go on. For 3 ranks. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, answers[2], first;
	MPI_Request requests[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Irecv(&answers[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
		MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
		MPI_Wait(&requests[1 - first], MPI_STATUS_IGNORE);
		if (first == 0)
			MPI_Send(&rank, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		if (rank == 2)
			MPI_Recv(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
