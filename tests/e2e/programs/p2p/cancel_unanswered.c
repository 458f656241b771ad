/* Rank 0 stops waiting for an answer, and thanks for it only if it came in time. Rank 1 waits for
 * the thanks in any case. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value = 0, cancelled;
	MPI_Request request;
	MPI_Status status;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, WORLD, &request); /* the answer */
		MPI_Cancel(&request);
		MPI_Wait(&request, &status);
		MPI_Test_cancelled(&status, &cancelled);
		if (!cancelled)
			MPI_Send(&value, 1, MPI_INT, 1, 1, WORLD);
	} else {
		MPI_Request answer;

		MPI_Isend(&rank, 1, MPI_INT, 0, 0, WORLD, &answer);
		MPI_Recv(&value, 1, MPI_INT, 0, 1, WORLD, IGNORE); /* thanks */
		MPI_Wait(&answer, IGNORE);
	}
	MPI_Finalize();
	return 0;
}
