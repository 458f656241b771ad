/* Rank 0 frees a communicator with a message that has arrived and was not received. MPICH 4.2
 * reports an error when it notices that. Whether it arrives in time is no choice. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	MPI_Comm other;
	int rank, value = 7;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	if (rank == 1)
		MPI_Send(&value, 1, MPI_INT, 0, 3, other); /* is never received */
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		usleep(100000);
		MPI_Iprobe(1, 4, MPI_COMM_WORLD, &value,
		           MPI_STATUS_IGNORE); /* lets MPI make progress */
	}
	MPI_Comm_free(&other);
	printf("%d\n", other == MPI_COMM_NULL);
	MPI_Finalize();
	return 0;
}
