/* Rank 1 waits outside MPI for a file that rank 0 makes after one receive is complete and while
 * another one is pending. Rank 0 must continue although rank 1 does not come to rest. */
#include <unistd.h>

#include "../check.h"

static const char *const name = "written_by_rank_0";

int main(int argc, char **argv)
{
	int value = 0;
	MPI_Request request;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, WORLD, &request);
		MPI_Recv(NULL, 0, MPI_INT, 2, 0, WORLD, IGNORE);
		fclose(fopen(name, "w"));
		MPI_Wait(&request, IGNORE);
		CHECK(value == 1);
	} else if (rank == 1) {
		while (access(name, F_OK) != 0)
			usleep(1000);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	} else {
		MPI_Send(NULL, 0, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
