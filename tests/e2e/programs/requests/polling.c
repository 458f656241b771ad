/* Loops around Test and Iprobe end. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value, flag = 0, polls = 0;
	MPI_Request request;
	MPI_Status status;

	start(&argc, &argv);
	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, WORLD, &request);
		while (!flag) {
			MPI_Test(&request, &flag, &status);
			CHECK(++polls < 1000000);
		}
		CHECK(value == 1 && status.MPI_SOURCE == 1);
		for (int i = 0; i < 2; i++) {
			for (flag = 0; !flag;)
				MPI_Iprobe(MPI_ANY_SOURCE, 1, WORLD, &flag, &status);
			MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, WORLD, IGNORE);
			CHECK(value == status.MPI_SOURCE);
		}
	} else {
		if (rank == 1)
			MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
		MPI_Send(&rank, 1, MPI_INT, 0, 1, WORLD);
	}
	MPI_Finalize();
	return 0;
}
