/* A send cannot be cancelled once MPI has it. After MPI_Cancel its completion waits for no rank,
 * and messages still arrive in order. */
#include "../check.h"

int main(int argc, char **argv)
{
	MPI_Request request;
	MPI_Status status;
	int first = 1, second = 2, value, cancelled;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, 1, 5, WORLD, IGNORE);
		CHECK(value == first);
		MPI_Recv(&value, 1, MPI_INT, 1, 5, WORLD, IGNORE);
		CHECK(value == second);
	} else if (rank == 1) {
		MPI_Isend(&first, 1, MPI_INT, 0, 5, WORLD, &request);
		MPI_Cancel(&request);
		MPI_Wait(&request, &status);
		MPI_Test_cancelled(&status, &cancelled);
		CHECK(!cancelled);
		MPI_Send(&second, 1, MPI_INT, 0, 5, WORLD);
	}
	MPI_Finalize();
	return 0;
}
