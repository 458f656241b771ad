/* Rank 3 waits for a generalised request that is never completed, while rank 0 has a choice between
 * two messages. matchpoint cannot see that rank 3 will not return, so the world is not at rest. */
#include "../check.h"

static int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_elements(status, MPI_INT, 0);
	return MPI_SUCCESS;
}

static int discard(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	MPI_Request request;
	int value;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		MPI_Recv(&value, 1, MPI_INT, 3, 0, WORLD, IGNORE);
	} else if (rank == 3) {
		MPI_Grequest_start(query, discard, cancel, NULL, &request);
		MPI_Wait(&request, IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
