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

bool *absent_rank_alive(const char *directory, int ranks)
{
	bool *alive = g_new0(bool, ranks);
	GDir *processes = g_dir_open("/proc", 0, NULL);
	const char *pid;

	while (processes && (pid = g_dir_read_name(processes))) {
		int rank = g_ascii_isdigit(*pid) ? rank_of(pid, directory) : -1;

		if (rank >= 0 && rank < ranks)
			alive[rank] = true;
	}
	if (processes)
		g_dir_close(processes);
	return alive;
}

int absent_rank(const bool *alive, const pid_t *pids, int ranks)
{
	int found = -1;

	for (int rank = ranks - 1; rank >= 0; rank--) {
		if (pids[rank] > 0 && !alive[rank])
			return -1;
		if (pids[rank] == 0 && !alive[rank])
			found = rank;
	}
	return found;
}
