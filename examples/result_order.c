/* An assertion that holds only if the results arrive in the order of the ranks.
 *
 * Rank 0 collects one result from each worker in the order of arrival, and uses the position as
 * the rank. It should have stored each at results[status.MPI_SOURCE]. */
#include <assert.h>
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size, results[16] = {0};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 1; i < size && i < 16; i++)
			MPI_Recv(&results[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		for (int i = 1; i < size && i < 16; i++)
			assert(results[i] == i * i);
	} else if (rank < 16) {
		int result = rank * rank;

		usleep(20000 * (unsigned)rank);
		MPI_Send(&result, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
