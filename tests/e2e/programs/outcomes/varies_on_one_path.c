/* If rank 1's message comes first, rank 0 prints the same each time. If rank 2's comes first, it
 * prints what it has never set: another number each time. Argument 1: which of the lines is wrong.
 * With "more", "fewer" or "number" the number of lines differs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Stands for memory that was never initialised: it cannot be foreseen. */
static long garbage(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_nsec;
}

static void print(const char *kind, int right)
{
	if (strcmp(kind, "first") == 0) {
		printf("checksum %ld\n", right ? 42 : garbage());
		printf("done\n");
	} else if (strcmp(kind, "more") == 0) {
		printf("checksum 42\n");
		if (!right)
			printf("rest %ld\n", garbage());
	} else if (strcmp(kind, "fewer") == 0) {
		printf("checksum 42\n");
		if (right)
			printf("rest 0\n");
		else
			printf("rest %ld\nwarning\n", garbage());
	} else if (strcmp(kind, "number") == 0) {
		int lines = right ? 2000 : (int)(garbage() / 100 % 1999);

		for (int i = 0; i < lines; i++)
			printf("step %d\n", i);
	} else if (strcmp(kind, "timed") == 0) {
		printf("time %ld\n", garbage());
		printf("checksum %ld\n", right ? 42 : garbage());
		printf("time %ld\n", garbage());
	}
}

int main(int argc, char **argv)
{
	int rank, size, value, first = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			MPI_Status status;

			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
			if (i == 1)
				first = status.MPI_SOURCE;
		}
		print(argv[1], first == 1);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
