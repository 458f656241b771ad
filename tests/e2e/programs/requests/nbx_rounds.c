/* Each rank asks each other one, and takes what comes until all questions have been taken
 * (nonblocking consensus). What comes is added up, so that the order of messages does not matter.
 * Variables are not initialised: there lies what earlier calls have left on the stack. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

int main(int argc, char **argv)
{
	MPI_Request asking[MOST], consensus = MPI_REQUEST_NULL;
	MPI_Status status;
	int rank, size, flag, value, sent, count = 0, active = 0, over = 0, total = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int to = 0; to < size; to++)
		if (to != rank)
			MPI_Issend(&rank, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &asking[count++]);
	while (!over) {
		memset(&status, 0, sizeof(status));
		MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &status);
		if (flag) {
			MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			total += value;
			value = 0;
		}
		memset(&status, 0, sizeof(status));
		flag = 0;
		if (active) {
			MPI_Test(&consensus, &over, MPI_STATUS_IGNORE);
			continue;
		}
		MPI_Testall(count, asking, &sent, MPI_STATUSES_IGNORE);
		if (sent) {
			MPI_Ibarrier(MPI_COMM_WORLD, &consensus);
			active = 1;
		}
	}
	printf("%d\n", total);
	MPI_Finalize();
	return 0;
}
