/* A function that is secretly collective, called on all ranks but one: a roll-call of who waits in
 * the barrier, and who has gone on to MPI_Finalize. */
#include "check.h"

int main(int argc, char **argv)
{
	start(&argc, &argv);
	if (rank != 2)
		MPI_Barrier(WORLD);
	MPI_Finalize();
	return 0;
}
