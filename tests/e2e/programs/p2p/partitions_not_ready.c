/* A partitioned send that lacks partitions. "wait": the sender waits for it. "elsewhere": it waits
 * for something else. "right": all partitions become ready. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, data[8] = {0};
	MPI_Request request;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		MPI_Precv_init(data, 4, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
	} else {
		MPI_Psend_init(data, 4, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Pready(0, request);
		MPI_Pready_list(1, (int[]){2}, request);
		if (strcmp(argv[1], "elsewhere") == 0)
			MPI_Barrier(MPI_COMM_WORLD);
		if (strcmp(argv[1], "right") == 0) {
			MPI_Pready_range(1, 1, request);
			MPI_Pready(3, request);
		}
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (rank == 1 && strcmp(argv[1], "elsewhere") == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Request_free(&request);
	MPI_Finalize();
	return 0;
}
