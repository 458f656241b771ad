/* A generalised request that is complete together with a receive: which of the two MPI_Waitany
 * reports is not explored, and the verdict says so. */
#include "../check.h"
#include "../generalised.h"

static int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_elements(status, MPI_INT, 1);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	MPI_Request requests[2];
	int number = 0, index;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Grequest_start(query, free_nothing, cancel_nothing, NULL, &requests[0]);
		MPI_Irecv(&number, 1, MPI_INT, 1, 0, WORLD, &requests[1]);
		MPI_Grequest_complete(requests[0]);
		MPI_Waitany(2, requests, &index, IGNORE);
		MPI_Waitany(2, requests, &index, IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
