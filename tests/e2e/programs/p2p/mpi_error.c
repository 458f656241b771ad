/* A destination that does not exist; the default error handler ends the job. */
#include "../check.h"

int main(int argc, char **argv)
{
	start(&argc, &argv);
	if (rank == 1)
		MPI_Send(&rank, 1, MPI_INT, size, 0, WORLD);
	MPI_Finalize();
	return 0;
}
