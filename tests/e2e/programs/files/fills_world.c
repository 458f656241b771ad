/* The shared memory of the ranks takes so many megabytes: rank 0 writes a file into the directory
 * of its world, as far as there is room. Then it prints which message came first. The file is
 * written by system calls, so that matchpoint takes it for MPI's. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PART = 1 << 20, WORLD = 200 /* AGENT_WORLD_FD */ };

static void fill(int megabytes)
{
	static char part[PART];
	int file = (int)syscall(SYS_openat, WORLD, "large", O_CREAT | O_WRONLY, 0600);

	memset(part, 'a', sizeof(part));
	for (int i = 0; i < megabytes; i++)
		if (syscall(SYS_write, file, part, sizeof(part)) <= 0)
			break;
	syscall(SYS_close, file);
}

int main(int argc, char **argv)
{
	int rank, size, from, first = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (first == 0)
			first = from;
	}
	if (rank == 0) {
		fill(atoi(argv[1]));
		printf("first %d\n", first);
	}
	MPI_Finalize();
	return 0;
}
