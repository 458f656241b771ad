/* Each rank sends itself a message. */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Request request;
	int rank, sent = 1, received;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Isend(&sent, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
	MPI_Recv(&received, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
