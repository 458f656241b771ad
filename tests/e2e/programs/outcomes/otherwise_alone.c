/* Under control it always ends well, and prints the same. Argument 1: what it does otherwise when
 * it is not under control: "crash", "abort", "error", "exit", "print", "hang" and "rank" (rank 1
 * prints); or something that is no mistake: "same", and "varies": a process number, an address and
 * a time. "deadlock": under control as well. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_alone(void)
{
	return getenv("MATCHPOINT_WORLD") == NULL;
}

static void differ(const char *how, int rank)
{
	int value = 0;

	if (strcmp(how, "crash") == 0 && rank == 1)
		raise(SIGSEGV);
	else if (strcmp(how, "abort") == 0 && rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 3);
	else if (strcmp(how, "error") == 0 && rank == 0)
		MPI_Send(&value, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
	else if (strcmp(how, "exit") == 0 && rank == 1)
		exit(5);
	else if (strcmp(how, "hang") == 0 && rank == 0)
		pause();
	else if (strcmp(how, "print") == 0 && rank == 0)
		printf("alone\n");
	else if (strcmp(how, "rank") == 0 && rank == 1)
		printf("sum 0\n");
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int rank, size, value, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(how, "varies") == 0)
		printf("process %d at %p, %f\n", getpid(), (void *)&rank, MPI_Wtime());
	if (strcmp(how, "deadlock") == 0)
		MPI_Recv(&value, 1, MPI_INT, !rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (is_alone())
		differ(how, rank);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sum += value;
	}
	if (rank == 0)
		printf("sum %d\n", sum);
	MPI_Finalize();
	return 0;
}
