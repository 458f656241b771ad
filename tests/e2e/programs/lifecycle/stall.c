/* Rank 1 waits for a generalised request that is never completed, and rank 0 for a message of rank
 * 1. matchpoint cannot see why rank 1 does not return from MPI, but it does not wait for ever. */
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
		MPI_Recv(&value, 1, MPI_INT, 1, 0, WORLD, IGNORE);
	} else {
		MPI_Grequest_start(query, discard, cancel, NULL, &request);
		MPI_Wait(&request, IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
