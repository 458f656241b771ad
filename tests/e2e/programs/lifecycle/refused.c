/* Calls that cannot be controlled end the exploration with a message and are no finding. The
 * argument names the call. */
#include "../check.h"

int main(int argc, char **argv)
{
	MPI_Comm comm;

	start(&argc, &argv);
	if (rank == 0)
		MPI_Recv(&size, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	else
		MPI_Send(&size, 1, MPI_INT, 0, 0, WORLD);
	if (strcmp(argv[argc - 1], "join") == 0)
		MPI_Comm_join(0, &comm);
	if (strcmp(argv[argc - 1], "count") == 0)
		MPI_Bcast_c(NULL, 1L << 40, MPI_INT, 0, WORLD);
	MPI_Finalize();
	return 0;
}
