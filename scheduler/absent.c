#include "absent.h"

#include <stdlib.h>

#include "environment.h"

#define LOOK_EVERY (G_USEC_PER_SEC / 2)
#define CERTAIN_TIMES 6 /* a process that is just being started belongs to no rank yet */

/* The rank that a process belongs to, or -1. */
static int rank_of(const char *pid, const char *directory)
{
	g_autofree char *rank = NULL;

	if (!environment_has(pid, ENVIRONMENT_DIRECTORY, directory))
		return -1;
	rank = environment_of(pid, "PMI_RANK");
	return rank ? atoi(rank) : -1;
}

/* The first rank without a process (one that has ended has no environment any more), or -1, also
 * where the processes cannot be seen. */
static int without_process(const char *directory, const pid_t *pids, int ranks)
{
	g_autofree gboolean *alive = g_new0(gboolean, ranks);
	GDir *processes = g_dir_open("/proc", 0, NULL);
	const char *pid;
	int found = -1;

	while (processes && (pid = g_dir_read_name(processes))) {
		int rank = g_ascii_isdigit(*pid) ? rank_of(pid, directory) : -1;

		if (rank >= 0 && rank < ranks)
			alive[rank] = TRUE;
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

int absent_look(struct absent *absent, const char *directory, const pid_t *pids, int ranks,
                gint64 now)
{
	int rank;

	if (now < absent->next)
		return -1;
	absent->next = now + LOOK_EVERY;
	rank = without_process(directory, pids, ranks);
	absent->times = rank >= 0 && rank == absent->rank ? absent->times + 1 : 0;
	absent->rank = rank;
	return absent->times >= CERTAIN_TIMES ? rank : -1;
}
