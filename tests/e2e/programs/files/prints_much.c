/* Rank 0 prints so many megabytes, to "out" or "err", and then to its output which message came
 * first. It does not look whether a write has failed. */
#include "../check.h"
#include "first_sender.h"

enum { LINE = 1024 };

static void print(FILE *stream, int megabytes)
{
	char line[LINE];

	memset(line, 'a', LINE - 1);
	line[LINE - 1] = '\n';
	for (int i = 0; i < megabytes * 1024; i++)
		fwrite(line, 1, LINE, stream);
}

int main(int argc, char **argv)
{
	int first;

	start(&argc, &argv);
	first = first_sender();
	if (rank == 0) {
		int to_error = strcmp(argv[2], "err") == 0;

		print(to_error ? stderr : stdout, atoi(argv[1]));
		if (!to_error)
			printf("first %d\n", first);
	}
	MPI_Finalize();
	return 0;
}
