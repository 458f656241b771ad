/* If a rank is gone when matchpoint writes to it, the signal (SIGPIPE) must not end matchpoint. The
 * ranks themselves get the signal as usual. */
#include "../check.h"

#include <signal.h>

/* Whether the process that the run directory is named after ignores SIGPIPE. */
static int matchpoint_ignores_it(void)
{
	const char *directory = getenv("MATCHPOINT_DIRECTORY"), *name;
	char path[64], line[256];
	unsigned long long ignored = 0;
	FILE *file;
	int pid = 0;

	CHECK(directory && (name = strstr(directory, "matchpoint-")));
	CHECK(sscanf(name, "matchpoint-%d-", &pid) == 1);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	CHECK((file = fopen(path, "r")));
	while (fgets(line, sizeof(line), file))
		sscanf(line, "SigIgn: %llx", &ignored);
	fclose(file);
	return (ignored >> (SIGPIPE - 1)) & 1;
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	CHECK(matchpoint_ignores_it());
	CHECK(signal(SIGPIPE, SIG_DFL) == SIG_DFL);
	MPI_Finalize();
	return 0;
}
