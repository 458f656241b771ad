/* Rank 0 prints so many kilobytes, and which message came, after each of its receives, and before
 * them. If the messages come in descending order of their senders, it aborts. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024 };

static void print(int kilobytes, int from)
{
	char line[LINE];

	memset(line, 'a', LINE - 1);
	line[LINE - 1] = '\n';
	for (int i = 0; i < kilobytes; i++)
		fwrite(line, 1, LINE, stdout);
	printf("from %d\n", from);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int rank, size, from, last, descending = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	last = size;
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	else
		print(atoi(argv[1]), 0);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		print(atoi(argv[1]), from);
		descending &= from < last;
		last = from;
	}
	if (rank == 0 && descending)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Finalize();
	return 0;
}
