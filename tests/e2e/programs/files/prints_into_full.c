/* Rank 0 prints a line while the place of its output is full, and makes room again: by "stdio", by
 * "write", "writev" or "dprintf". Which line follows from the first message. The rank does not look
 * whether a write has failed. The place is that of the directory which the variable argv[2] names.
 * Without argv[3] this happens in each run, else in the first only, of which that directory tells.
 * It fills the place by system calls, so that matchpoint does not put it back. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LINE = 64 * 1024, MOST = 1024 /* lines */ };

static char line[LINE];

static int fill(char *filler, const char *variable)
{
	int file, left = MOST;

	snprintf(filler, PATH_MAX, "%s/../filler", getenv(variable));
	file = (int)syscall(SYS_openat, AT_FDCWD, filler, O_CREAT | O_WRONLY, 0600);
	for (size_t part = LINE; part > 0; part /= 2)
		while (left > 0 && syscall(SYS_write, file, line, part) > 0)
			left--;
	return file;
}

static void print(const char *how)
{
	struct iovec parts[] = {{line, LINE / 2}, {line + LINE / 2, LINE / 2}};

	if (strcmp(how, "stdio") == 0) {
		fwrite(line, 1, LINE, stdout);
		fflush(stdout);
	} else if (strcmp(how, "write") == 0) {
		if (write(STDOUT_FILENO, line, LINE) < 0)
			line[0] = 'b';
	} else if (strcmp(how, "dprintf") == 0) {
		dprintf(STDOUT_FILENO, "%.*s", LINE, line);
	} else if (writev(STDOUT_FILENO, parts, 2) < 0) {
		line[0] = 'c';
	}
}

int main(int argc, char **argv)
{
	int rank, size, from;
	char filler[PATH_MAX];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	memset(line, 'a', LINE);
	line[LINE - 1] = '\n';
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0 && (argc < 4 || syscall(SYS_mkdirat, AT_FDCWD, argv[3], 0700) == 0)) {
		int file = fill(filler, argv[2]);

		print(argv[1]);
		close(file);
		syscall(SYS_unlinkat, AT_FDCWD, filler, 0);
	} else if (rank == 0) {
		print(argv[1]);
	}
	MPI_Finalize();
	return 0;
}
