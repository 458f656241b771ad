#include "absent_rank.h"

#include <stdlib.h>

#include "environment.h"
#include "mpi_runtime.h"

/* Returns the rank that a process belongs to, or -1. */
static int rank_of(const char *pid, const char *directory)
{
	g_autofree char *rank = NULL;

	if (!environment_has(pid, ENVIRONMENT_DIRECTORY, directory))
		return -1;
	rank = environment_of(pid, mpi_runtime_usual()->rank_variable);
	return rank ? atoi(rank) : -1;
}

int absent_rank(const char *directory, const pid_t *pids, int ranks)
{
	g_autofree bool *alive = g_new0(bool, ranks);
	GDir *processes = g_dir_open("/proc", 0, NULL);
	const char *pid;
	int found = -1;

	while (processes && (pid = g_dir_read_name(processes))) {
		int rank = g_ascii_isdigit(*pid) ? rank_of(pid, directory) : -1;

		if (rank >= 0 && rank < ranks)
			alive[rank] = true;
	}
	if (processes)
		g_dir_close(processes);
	for (int rank = ranks - 1; rank >= 0; rank--) {
		if (pids[rank] > 0 && !alive[rank])
			return -1;
		if (pids[rank] == 0 && !alive[rank])
			found = rank;
	}
	return found;
}
