/* Two ranks send a header and a body each. Rank 0 takes both parts from any source, so that a
 * body can come from another rank than its header; with "named" it takes the body from the
 * header's source. */
#include "../check.h"

static void receive(int from_anybody)
{
	int length;
	char body[64];
	MPI_Status status;

	MPI_Recv(&length, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &status); /* header */
	MPI_Recv(body, length, MPI_CHAR, from_anybody ? MPI_ANY_SOURCE : status.MPI_SOURCE, 2,
	         WORLD, IGNORE);
}

int main(int argc, char **argv)
{
	int length;
	char body[64] = "";

	start(&argc, &argv);
	if (rank == 0) {
		printf("rank 0 is ready\n");
		fflush(stdout);
		for (int i = 1; i < size; i++)
			receive(argc < 2);
	} else {
		length = 10 * rank;
		MPI_Send(&length, 1, MPI_INT, 0, 1, WORLD);
		MPI_Send(body, length, MPI_CHAR, 0, 2, WORLD); /* body */
	}
	MPI_Finalize();
	return 0;
}
