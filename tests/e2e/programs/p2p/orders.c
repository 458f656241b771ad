/* Rank 0 receives a message of each other rank, in any order. Macros given at compilation
 * (harness.py, compile_orders) define in which order it deadlocks or crashes, and what it prints.
 * They use `first` and `last`, the ranks whose messages came first and last, and `order`, all of
 * them as decimal digits. With one argument it leaves a child behind; with two, a daemon that is
 * detached from it and sleeps for as many seconds as the second says. */
#define _GNU_SOURCE /* close_range */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef DEADLOCK
#define DEADLOCK 0
#endif
#ifndef CRASH
#define CRASH 0
#endif
#ifndef PRINTED
#define PRINTED order
#endif
#ifndef PAUSE_US
#define PAUSE_US 0
#endif

static void leave_child(char *seconds)
{
	char *const words[] = {"sleep", seconds, NULL}, *const nothing[] = {NULL};

	if (fork() > 0)
		return;
	if (!seconds) {
		sleep(60);
		_exit(0);
	}
	setsid();
	if (fork() == 0) {
		close_range(0, ~0u, 0);
		execve("/bin/sleep", words, nothing);
	}
	_exit(0);
}

static void receive_all(int ranks, char **arguments)
{
	int first = 0, last = 0, order = 0, value;

	for (int i = 1; i < ranks; i++) {
		MPI_Recv(&last, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		first = i == 1 ? last : first;
		order = 10 * order + last;
		if (i == 1 && PAUSE_US > 0)
			usleep(PAUSE_US);
	}
	if (arguments[1])
		leave_child(arguments[2]);
	if (DEADLOCK)
		MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (CRASH)
		abort();
	(void)first;
	printf("%d\n", PRINTED);
}

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank == 0)
		receive_all(ranks, argv);
	else
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
