/* Rank 1 waits for a file that rank 0 makes with a receive pending. Until then there is no rest,
 * and the contents of that receive's buffer depend on time. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define FILE_NAME "waits_outside.made"

int main(void)
{
	int rank, value = 0, data = 0;
	MPI_Request request;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Irecv(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
		MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		close(open(FILE_NAME, O_CREAT | O_WRONLY, 0600));
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		unlink(FILE_NAME);
		printf("%d\n", data);
	} else if (rank == 1) {
		while (access(FILE_NAME, F_OK) != 0)
			usleep(1000);
		MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
