/* One file that every rank has open at a deep snapshot. In every interleaving they share it,
 * although one rank removes it each time. */
#include "../check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char name[] = "shared.txt";

/* Every rank has written its letter at its offset. */
static void check_contents(int fd, char first)
{
	char text[32] = "";

	MPI_Barrier(WORLD);
	CHECK(pread(fd, text, sizeof(text), 0) == size);
	for (int i = 0; i < size; i++)
		CHECK(text[i] == first + i);
	MPI_Barrier(WORLD);
}

static void put_letter(int fd, char first)
{
	char letter = (char)(first + rank);

	CHECK(pwrite(fd, &letter, 1, rank) == 1);
}

static void race(void)
{
	const struct timespec pause = {.tv_nsec = 30000000}; /* makes a deep snapshot worthwhile */
	int value;

	if (rank) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
		return;
	}
	nanosleep(&pause, NULL);
	for (int i = 1; i < size; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		printf("%d\n", value);
	}
}

int main(int argc, char **argv)
{
	int fd;

	start(&argc, &argv);
	if (rank == 0)
		remove(name);
	MPI_Barrier(WORLD);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	CHECK(fd >= 0);
	put_letter(fd, 'a');
	check_contents(fd, 'a');
	race();
	check_contents(fd, 'a');
	put_letter(fd, 'A');
	check_contents(fd, 'A');
	if (rank == 0)
		CHECK(remove(name) == 0);
	MPI_Barrier(WORLD);
	CHECK(access(name, F_OK) < 0);
	CHECK(close(fd) == 0);
	MPI_Finalize();
	return 0;
}
