/* A time limit that starts before the first race and is checked after the last one. No interleaving
 * may exceed it because others were explored before. */
#include "../check.h"

#include <unistd.h>

enum { WORK = 300000 }; /* microseconds in each interleaving */

int main(int argc, char **argv)
{
	double begin;
	int value;

	start(&argc, &argv);
	begin = MPI_Wtime();
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	if (rank == 0)
		usleep(WORK);
	CHECK(MPI_Wtime() - begin < slowness());
	MPI_Finalize();
	return 0;
}
