/* A receive that names its source is cancelled: in time or not, since the message may have come
 * before. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value = 0, cancelled;
	MPI_Request request;
	MPI_Status status;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, WORLD, &request);
		MPI_Cancel(&request);
		MPI_Wait(&request, &status);
		MPI_Test_cancelled(&status, &cancelled);
		if (cancelled)
			MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, IGNORE);
		CHECK(value == 1);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
