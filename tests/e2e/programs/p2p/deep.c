/* Four rounds of two receives with MPI_ANY_SOURCE: 2^4 interleavings, from snapshots nested four
 * deep, with a heap that changes between them. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value, *trail = NULL;

	start(&argc, &argv);
	for (int round = 0; round < 4; round++) {
		if (rank == 0) {
			trail = realloc(trail, (size_t)(round + 1) * 100000);
			for (int i = 0; i < 2; i++) {
				MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, WORLD, IGNORE);
				if (i == 0)
					trail[round] = value;
			}
		} else {
			MPI_Send(&rank, 1, MPI_INT, 0, round, WORLD);
		}
		MPI_Barrier(WORLD);
	}
	for (int round = 0; rank == 0 && round < 4; round++)
		printf("%d", trail[round]);
	free(trail);
	MPI_Finalize();
	return 0;
}
