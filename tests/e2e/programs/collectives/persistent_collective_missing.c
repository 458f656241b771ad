/* With the argument "root" the members name different roots; else one of them does not start. */
#include "../check.h"

int main(int argc, char **argv)
{
	MPI_Request request;
	int value = 0;

	start(&argc, &argv);
	if (argc > 1) {
		MPI_Bcast_init(&value, 1, MPI_INT, rank == 2, WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Wait(&request, IGNORE); /* roots */
	} else {
		MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request);
		if (rank != 1) {
			MPI_Start(&request);
			MPI_Wait(&request, IGNORE); /* members */
		} else {
			MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, IGNORE);
		}
	}
	MPI_Request_free(&request);
	MPI_Finalize();
	return 0;
}
