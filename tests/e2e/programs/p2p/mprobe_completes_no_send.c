/* A synchronous send completes when its message is received, not when a matched probe takes it (MPI
 * 3.1, sections 3.4 and 3.8.2). Rank 1 probes for both messages before it receives one: the second
 * is never sent. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, a = 1, b = 2;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Ssend(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Ssend(&b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Message first, second;

		MPI_Mprobe(0, 0, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
		MPI_Mprobe(0, 0, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE);
		MPI_Mrecv(&a, 1, MPI_INT, &first, MPI_STATUS_IGNORE);
		MPI_Mrecv(&b, 1, MPI_INT, &second, MPI_STATUS_IGNORE);
		printf("%d %d\n", a, b);
	}
	MPI_Finalize();
	return 0;
}
