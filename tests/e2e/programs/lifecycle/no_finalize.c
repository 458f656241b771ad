/* Rank 1 exits without MPI_Finalize. */
#include "../check.h"

int main(int argc, char **argv)
{
	start(&argc, &argv);
	if (rank == 1)
		exit(0);
	MPI_Finalize();
	return 0;
}
