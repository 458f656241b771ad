/* The sender waits although one partition was never marked ready. With the argument "crossed" both
 * ranks wait for what the other sends later. */
#include "../check.h"

int main(int argc, char **argv)
{
	MPI_Request requests[2];
	int out[4] = {0}, in[4], other;

	start(&argc, &argv);
	other = 1 - rank;
	MPI_Psend_init(out, 4, 1, MPI_INT, other, 0, WORLD, MPI_INFO_NULL, &requests[0]);
	MPI_Precv_init(in, 4, 1, MPI_INT, other, 0, WORLD, MPI_INFO_NULL, &requests[1]);
	MPI_Startall(2, requests);
	if (argc > 1)
		MPI_Wait(&requests[1], IGNORE); /* crossed */
	MPI_Pready_range(0, rank == 0 ? 2 : 3, requests[0]);
	MPI_Wait(&requests[0], IGNORE); /* sent */
	MPI_Wait(&requests[1], IGNORE); /* received */
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	MPI_Finalize();
	return 0;
}
