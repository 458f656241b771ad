/* Polls that wait for nothing, so each is complete at once: so many of each kind as argv[1] says,
 * and then another call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void poll_of(int kind)
{
	MPI_Request none = MPI_REQUEST_NULL;
	MPI_Status status;
	int complete = 0, index;

	switch (kind) {
	case 0: MPI_Test(&none, &complete, &status); break;
	case 1: MPI_Testall(1, &none, &complete, &status); break;
	case 2: MPI_Testany(0, &none, &index, &complete, &status); break;
	default:
		MPI_Testsome(1, &none, &complete, &index, &status);
		complete = complete == MPI_UNDEFINED;
		break;
	}
	if (complete)
		return;
	printf("kind %d is not complete\n", kind);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	const int polls = argc > 1 ? atoi(argv[1]) : 1;

	MPI_Init(&argc, &argv);
	for (int kind = 0; kind < 4; kind++) {
		for (int i = 0; i < polls; i++)
			poll_of(kind);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
