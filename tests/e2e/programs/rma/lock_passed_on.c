/* A lock that one rank takes first and another one last, which keeps it ("keeps") until its process
 * ends, or not. In every interleaving the first rank must get it. (check_rewind.py) */
#include <mpi.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static char much[4 << 20]; /* takes long to put back */

static int take(const char *who)
{
	int fd = open("lock", O_RDWR | O_CREAT, 0600);

	printf("%s %s the lock\n", who, flock(fd, LOCK_EX | LOCK_NB) == 0 ? "has" : "cannot get");
	return fd;
}

int main(int argc, char **argv)
{
	int rank, ranks, value = 0, fd;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank == 0) {
		fd = take("the first");
		for (int i = 1; i < ranks; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		close(fd);
		MPI_Send(&value, 1, MPI_INT, ranks - 1, 1, MPI_COMM_WORLD);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	if (rank == ranks - 1) {
		memset(much, 1, sizeof(much));
		MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		fd = take("the last");
		if (argc < 2 || strcmp(argv[1], "keeps") != 0)
			close(fd);
	}
	MPI_Finalize();
	return 0;
}
