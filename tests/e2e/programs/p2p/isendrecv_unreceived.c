/* Rank 0 gets its message by MPI_Isendrecv, but no receive has the tag of the message that it
 * sends. Without buffering its request never completes, although its receive does. */
#include "../check.h"

int main(int argc, char **argv)
{
	MPI_Request request;
	int value = -1, other;

	start(&argc, &argv);
	other = 1 - rank;
	if (rank == 0) {
		MPI_Isendrecv(&rank, 1, MPI_INT, other, 9, &value, 1, MPI_INT, other, 5, WORLD,
		              &request);
		MPI_Wait(&request, IGNORE);
		CHECK(value == 1);
	} else {
		MPI_Send(&rank, 1, MPI_INT, other, 5, WORLD);
	}
	MPI_Finalize();
	return 0;
}
