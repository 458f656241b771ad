/* A process forked by a rank calls MPI; with "right" it does something else. */
#include "../check.h"

#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status = 0;

	start(&argc, &argv);
	if (rank == 0) {
		pid_t child = fork();

		if (child == 0 && argc > 1 && strcmp(argv[1], "right") == 0)
			_exit(7);
		if (child == 0) {
			MPI_Barrier(WORLD); /* by the child */
			_exit(7);
		}
		waitpid(child, &status, 0);
		CHECK(WIFEXITED(status));
	}
	MPI_Barrier(WORLD);
	MPI_Finalize();
	return 0;
}
