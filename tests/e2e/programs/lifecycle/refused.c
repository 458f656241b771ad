/* Calls that cannot be controlled end the exploration with a message and are no finding. The
 * argument names the call. */
#include "../check.h"

/* Of MPI 4.1: the library may not have it, but the shim does. */
int MPI_Buffer_flush(void) __attribute__((weak));

int main(int argc, char **argv)
{
	start(&argc, &argv);
	if (rank == 0)
		MPI_Recv(&size, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	else
		MPI_Send(&size, 1, MPI_INT, 0, 0, WORLD);
	if (strcmp(argv[argc - 1], "flush") == 0)
		MPI_Buffer_flush();
	if (strcmp(argv[argc - 1], "count") == 0)
		MPI_Bcast_c(NULL, 1L << 40, MPI_INT, 0, WORLD);
	MPI_Finalize();
	return 0;
}
