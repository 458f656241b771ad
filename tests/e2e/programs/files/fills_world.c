/* The shared memory of the ranks takes so many megabytes: rank 0 writes a file into the directory
 * of its world, as far as there is room. Then it prints which message came first. The file is
 * written by system calls, so that matchpoint takes it for MPI's. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../check.h"
#include "first_sender.h"

enum { PART = 1 << 20, DIRECTORY = 200 /* AGENT_WORLD_FD */ };

static void fill(int megabytes)
{
	static char part[PART];
	int file = (int)syscall(SYS_openat, DIRECTORY, "large", O_CREAT | O_WRONLY, 0600);

	memset(part, 'a', sizeof(part));
	for (int i = 0; i < megabytes; i++)
		if (syscall(SYS_write, file, part, sizeof(part)) <= 0)
			break;
	syscall(SYS_close, file);
}

int main(int argc, char **argv)
{
	int first;

	start(&argc, &argv);
	first = first_sender();
	if (rank == 0) {
		fill(atoi(argv[1]));
		printf("first %d\n", first);
	}
	MPI_Finalize();
	return 0;
}
