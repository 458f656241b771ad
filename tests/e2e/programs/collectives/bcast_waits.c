/* Programs that are wrong only if a broadcast waits for its receivers, as MPI allows (MPI 3.1,
 * section 5.12): by default under zero buffering. */
#include "../check.h"

#include <string.h>

/* A receiver first waits for the message that the root sends after the broadcast. */
static void before_send(void)
{
	int value = 0;

	if (rank == 0) {
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
		MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
	} else if (rank == 1) {
		MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, IGNORE);
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
	} else {
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
	}
}

/* Each rank is the root of a broadcast that the next one receives. */
static void cycle(void)
{
	MPI_Comm pairs[3];
	int value = 0;

	for (int i = 0; i < 3; i++)
		MPI_Comm_split(WORLD, rank == i || rank == (i + 1) % 3 ? 0 : MPI_UNDEFINED,
		               rank == i ? 0 : 1, &pairs[i]);
	MPI_Bcast(&value, 1, MPI_INT, 0, pairs[rank]);
	MPI_Bcast(&value, 1, MPI_INT, 0, pairs[(rank + 2) % 3]);
	MPI_Comm_free(&pairs[rank]);
	MPI_Comm_free(&pairs[(rank + 2) % 3]);
}

/* Rank 0's first message arrives first only if rank 0 leaves the first broadcast early; then its
 * second message is needed before the second broadcast. */
static void one_of_two(void)
{
	MPI_Status status;
	int value = 0;

	if (rank == 0) {
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
		MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
		MPI_Send(&value, 1, MPI_INT, 1, 1, WORLD);
	} else if (rank == 1) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &status);
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		if (status.MPI_SOURCE == 0)
			MPI_Recv(&value, 1, MPI_INT, 0, 1, WORLD, IGNORE);
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
		if (status.MPI_SOURCE != 0)
			MPI_Recv(&value, 1, MPI_INT, 0, 1, WORLD, IGNORE);
	} else {
		MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
	}
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	if (argc > 1 && strcmp(argv[1], "cycle") == 0)
		cycle();
	else if (argc > 1 && strcmp(argv[1], "one-of-two") == 0)
		one_of_two();
	else
		before_send();
	MPI_Finalize();
	return 0;
}
