/* A probe finds one message, the receive takes another.
 *
 * Rank 0 probes for the size of the next message, allocates a buffer, and receives from any source.
 * In between, a message from another rank may become the first in the queue: here rank 2's, which
 * is longer than rank 1's, so that MPI reports a truncation. The receive should name
 * status.MPI_SOURCE and status.MPI_TAG, or be an MPI_Mrecv. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, numbers[] = {1, 2};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		for (int i = 0; i < 2; i++) {
			MPI_Status status;
			int count, *buffer;

			MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
			MPI_Get_count(&status, MPI_INT, &count);
			buffer = malloc((size_t)count * sizeof(int));
			MPI_Recv(buffer, count, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			free(buffer);
		}
	} else if (rank < 3) {
		usleep(20000 * (unsigned)rank);
		MPI_Send(numbers, rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
