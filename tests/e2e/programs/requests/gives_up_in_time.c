/* A rank polls, and only after many polls lets the others send. A plan that gives the polled
 * receive a message can be followed only after its polls were answered "no". */
#include "../check.h"

enum { PATIENCE = 3000 };

int main(int argc, char **argv)
{
	int value = 0, told = 0;

	start(&argc, &argv);
	if (rank > 0) {
		MPI_Recv(&value, 1, MPI_INT, 0, 1, WORLD, IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Request request;
		int done = 0;

		MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &request);
		for (int polls = 0; !done; polls++) {
			MPI_Test(&request, &done, IGNORE);
			if (done || told || polls < PATIENCE)
				continue;
			for (int to = 1; to < size; to++)
				MPI_Send(&to, 1, MPI_INT, to, 1, WORLD);
			told = 1;
		}
	}
	MPI_Finalize();
	return 0;
}
