/* Ends in another way for each order in which the first messages come. The stores beside this file
 * are of explorations of it by earlier versions of matchpoint; 17.sql is what version 18 found, in
 * the tables of 17. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int receive(void)
{
	MPI_Status status;
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
	return status.MPI_SOURCE;
}

static void end_by(int first, int second)
{
	if (first == 2 && second == 1)
		exit(3);
	if (first == 2)
		raise(SIGSEGV);
	if (first == 3 && second == 1)
		MPI_Abort(MPI_COMM_WORLD, 5);
	if (first == 3)
		receive();
}

int main(int argc, char **argv)
{
	float number = 1;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		int first = receive(), second = receive();

		receive();
		printf("%d\n", first);
		end_by(first, second);
	} else {
		MPI_Send(&number, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
