/* The correct twin of examples/looks_once.c: polls until the message is there, with a time limit
 * that is never reached. */
#include "../check.h"

int main(int argc, char **argv)
{
	int stop = 0, there = 0;

	start(&argc, &argv);
	if (rank == 0) {
		double end = MPI_Wtime() + 60;

		while (!there && MPI_Wtime() < end)
			MPI_Iprobe(1, 0, WORLD, &there, IGNORE);
		CHECK(there);
		MPI_Recv(&stop, 1, MPI_INT, 1, 0, WORLD, IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
