/* Rank 0 gets a message from each other rank, from any source. After ../check.h. */
#ifndef FIRST_SENDER_H
#define FIRST_SENDER_H

/* On all ranks. Whose message came first; 0 on other ranks than 0. */
static int first_sender(void)
{
	int from, first = 0;

	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		if (first == 0)
			first = from;
	}
	return first;
}

#endif
