/* Something takes long; the argument names it: to reach MPI_Init, in one rank or all; an
 * interleaving that computes, in all or only one of them; to end. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile double work;

static void compute(void)
{
	for (;;)
		work += 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *number = getenv("PMI_RANK");
	int rank, size, value;

	if (strcmp(what, "start") == 0
	    || (strcmp(what, "start-of-one") == 0 && number && atoi(number) == 1))
		sleep(100);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(what, "all") == 0)
		compute();
	for (int i = 1; i < size && rank == 0; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (strcmp(what, "one") == 0 && i == 1 && value == 2)
			compute();
	}
	if (rank != 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	if (strcmp(what, "end") == 0)
		compute();
	return 0;
}
