/* Results of two rounds are mixed up.
 *
 * Each worker computes a result in each of two rounds and sends it to rank 0, with the same tag in
 * both. Rank 0 takes one result per worker and round, from any source. A fast worker's second
 * result can take the place of a slow worker's first. A tag per round would keep them apart (a
 * barrier between the rounds hides it). */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define TAG_RESULT 1

struct result {
	int round, value;
};

static void collect(int round, int workers)
{
	struct result result;

	for (int i = 0; i < workers; i++) {
		MPI_Recv(&result, 2, MPI_INT, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		if (result.round != round) {
			fprintf(stderr, "a result of round %d in round %d\n", result.round, round);
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
	}
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int round = 1; round <= 2; round++) {
		struct result result = {round, 10 * round + rank};

		if (rank == 0) {
			collect(round, size - 1);
		} else {
			usleep(20000);
			MPI_Send(&result, 2, MPI_INT, 0, TAG_RESULT, MPI_COMM_WORLD);
		}
	}
	MPI_Finalize();
	return 0;
}
