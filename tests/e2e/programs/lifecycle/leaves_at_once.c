/* _exit runs no handlers at the end of the program. Its status must be reported in spite of
 * that. */
#include <unistd.h>

#include "../check.h"

int main(int argc, char **argv)
{
	MPI_Status status;
	int value = 0;

	start(&argc, &argv);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &status);
		if (i == 1 && status.MPI_SOURCE == 2)
			_exit(6);
	}
	if (rank > 0)
		MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
	MPI_Finalize();
	_exit(0);
}
