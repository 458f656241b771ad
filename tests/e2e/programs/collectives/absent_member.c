/* A function with a hidden collective, called on all ranks but one. The finding must list which
 * ranks wait in the barrier, and which has continued to MPI_Finalize. */
#include "../check.h"

int main(int argc, char **argv)
{
	start(&argc, &argv);
	if (rank != 2)
		MPI_Barrier(WORLD);
	MPI_Finalize();
	return 0;
}
