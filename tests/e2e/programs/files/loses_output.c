/* Rank 0 removes the file that matchpoint keeps its output (or errors) in, which stands for any way
 * in which it is lost: always, or in the first run only, of which the directory argv[2] tells. Else
 * the program is right. argv[1]: the descriptor. It makes system calls, as matchpoint would put
 * back what is changed by the C library's. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void lose(int descriptor)
{
	char link[64], file[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	length = readlink(link, file, sizeof(file) - 1);
	if (length < 0)
		abort();
	file[length] = '\0';
	if (syscall(SYS_unlinkat, AT_FDCWD, file, 0) < 0)
		abort();
}

int main(int argc, char **argv)
{
	int rank, size, from;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	printf("rank %d\n", rank);
	if (rank == 0 && (argc < 3 || syscall(SYS_mkdirat, AT_FDCWD, argv[2], 0700) == 0))
		lose(atoi(argv[1]));
	MPI_Finalize();
	return 0;
}
