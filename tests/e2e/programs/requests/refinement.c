/* As in adaptive mesh refinement: each step, ranks exchange the faces of their blocks by many small
 * messages and unpack them as they come. All agree on where to refine, and then there are more
 * faces. What is computed does not depend on the order; the times that are printed vary. */
#include "../check.h"

enum { STEPS = 3, MOST = 4 };

static double faces[MOST], theirs[MOST], sum;
static MPI_Request receiving[MOST], sending[MOST];

static void begin(int count)
{
	for (int face = 0; face < count; face++) {
		int side = face % 2 ? size - 1 : 1; /* to the right, or to the left */
		int peer = (rank + side) % size, from = (rank + size - side) % size;

		MPI_Irecv(&theirs[face], 1, MPI_DOUBLE, from, face, WORLD, &receiving[face]);
		faces[face] = rank + face;
		MPI_Isend(&faces[face], 1, MPI_DOUBLE, peer, face, WORLD, &sending[face]);
	}
}

/* The first step waits for any face, the next one for some, the last one for all. */
static void unpack(int step, int count)
{
	MPI_Status statuses[MOST];
	int which[MOST], got = 1, left = count;

	while (step < 2 && left > 0) {
		if (step == 0)
			MPI_Waitany(count, receiving, which, IGNORE);
		else
			MPI_Waitsome(count, receiving, &got, which, statuses);
		for (int i = 0; i < got; i++)
			sum += theirs[which[i]];
		left -= got;
	}
	MPI_Waitall(count, receiving, statuses);
	for (int face = count - left; face < count; face++)
		sum += theirs[face];
	MPI_Waitall(count, sending, statuses);
}

int main(int argc, char **argv)
{
	int count = 2, most;
	double begun;

	start(&argc, &argv);
	for (int step = 0; step < STEPS; step++) {
		begun = MPI_Wtime();
		begin(count);
		unpack(step, count);
		most = step == 1 && rank == 0 ? count + 1 : count;
		MPI_Allreduce(&most, &count, 1, MPI_INT, MPI_MAX, WORLD);
		printf("step %d: %g after %.6f s\n", step, sum, MPI_Wtime() - begun);
	}
	printf("%d faces, %g\n", count, sum);
	MPI_Finalize();
	return 0;
}
