/* Rank 0 prints so many megabytes, to "out" or "err", and then to its output which message came
 * first. It does not look whether a write has failed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024 };

static void print(FILE *stream, int megabytes)
{
	char line[LINE];

	memset(line, 'a', LINE - 1);
	line[LINE - 1] = '\n';
	for (int i = 0; i < megabytes * 1024; i++)
		fwrite(line, 1, LINE, stream);
}

int main(int argc, char **argv)
{
	int rank, size, from, first = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (first == 0)
			first = from;
	}
	if (rank == 0) {
		int to_error = strcmp(argv[2], "err") == 0;

		print(to_error ? stderr : stdout, atoi(argv[1]));
		if (!to_error)
			printf("first %d\n", first);
	}
	MPI_Finalize();
	return 0;
}
