/* Rank 0 writes the order of its messages into the memory of rank 1, whose process id and address
 * it has received, and rank 1 prints what it finds there. It also prints what it reads of itself by
 * its own process id. (check_rewind.py) */
#define _GNU_SOURCE
#include <mpi.h>

#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ROUNDS = 2 };

static long told[2]; /* process, address */
static int order, seen[ROUNDS];

static void write_into_peer(int round)
{
	struct iovec here = {&order, sizeof(order)};
	struct iovec there = {(char *)told[1] + round * sizeof(order), sizeof(order)};

	if (process_vm_writev((pid_t)told[0], &here, 1, &there, 1, 0) != sizeof(order))
		printf("forbidden\n");
}

static void tell(int round)
{
	int own = 0;
	struct iovec here = {&own, sizeof(own)}, there = {&seen[round], sizeof(own)};

	process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	printf("%d %d, %d\n", seen[0], seen[1], own);
}

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	told[0] = getpid();
	told[1] = (long)seen;
	MPI_Bcast(told, 2, MPI_LONG, 1, MPI_COMM_WORLD);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 1; rank == 0 && i < ranks; i++) {
			int value;

			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			order = order * ranks + value;
		}
		if (rank > 0)
			MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
		if (rank == 0)
			write_into_peer(round);
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 1)
			tell(round);
	}
	MPI_Finalize();
	return 0;
}
