/* This deadlock shows neither if every send is buffered nor if none is. Rank 0's first send must
 * complete at once, so that rank 1's message can be rank 2's first. Rank 1's send to rank 0 must
 * block. (`matchpoint explore --buffering per-send`.) For 3 ranks. */
#include <mpi.h>

#define WORLD MPI_COMM_WORLD

static int value;

static void send(int to, int tag)
{
	MPI_Send(&value, 1, MPI_INT, to, tag, WORLD);
}

static int receive(int from, int tag)
{
	MPI_Status status;

	MPI_Recv(&value, 1, MPI_INT, from, tag, WORLD, &status);
	return status.MPI_SOURCE;
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	if (rank == 0) {
		send(2, 0); /* completes early, and ... */
		send(1, 0);
		receive(2, 2);
		receive(1, 1);
	} else if (rank == 1) {
		receive(0, 0);
		send(2, 0);
		send(0, 1); /* ... waits for rank 0, which waits for rank 2 */
		send(2, 1);
	} else if (receive(MPI_ANY_SOURCE, 0) == 0) {
		send(0, 2);
		receive(1, 0);
		receive(1, 1);
	} else {
		receive(1, 1);
		receive(0, 0);
		send(0, 2);
	}
	MPI_Finalize();
	return 0;
}
