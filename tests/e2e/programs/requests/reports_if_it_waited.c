/* Rank 0 reports to rank 1 that it had to wait; that message is never received. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value = 0, flag = 0, waited = 0;
	MPI_Request request;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		for (; !flag; waited += !flag)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		if (waited > 0)
			MPI_Ssend(&waited, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
