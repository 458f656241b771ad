/* Two senders and a receiver, for so many rounds: in each, either message comes first.
 *
 * spawning spawn ROUNDS   the senders are spawned by the receiver (one rank)
 * spawning plain ROUNDS   they are ranks of the same MPI_COMM_WORLD (three ranks) */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* `first`: the senders' ranks in `comm` begin here. */
static void receive(int rounds, MPI_Comm comm, int first)
{
	int got;

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < 2; i++)
			MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
		for (int i = 0; i < 2; i++)
			MPI_Send(&round, 1, MPI_INT, first + i, 1, comm);
	}
}

static void send_all(int rounds, MPI_Comm comm, int rank)
{
	int round;

	for (int i = 0; i < rounds; i++) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, comm);
		MPI_Recv(&round, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	MPI_Comm others = MPI_COMM_WORLD, parent;
	int rank, rounds, first = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	rounds = atoi(argv[2]);
	if (parent != MPI_COMM_NULL) {
		others = parent;
	} else if (strcmp(argv[1], "spawn") == 0) {
		MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others,
		               MPI_ERRCODES_IGNORE);
		first = 0;
	}
	if (parent == MPI_COMM_NULL && rank == 0)
		receive(rounds, others, first);
	else
		send_all(rounds, others, rank);
	if (others != MPI_COMM_WORLD)
		MPI_Comm_disconnect(&others);
	MPI_Finalize();
	return 0;
}
