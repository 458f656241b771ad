#include "absent.h"

#include <stdlib.h>
#include <string.h>

#include "environment.h"

#define LOOK_EVERY (G_USEC_PER_SEC / 2)
#define CERTAIN_TIMES 6 /* a process that is just being started belongs to no rank yet */

/* The value of a variable in a block of NUL-terminated ones; NULL: it is not there. */
static const char *value_in(const char *block, gsize size, const char *name)
{
	gsize length = strlen(name);

	for (const char *at = block; at < block + size; at += strlen(at) + 1) {
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return at + length + 1;
	}
	return NULL;
}

/* The rank that a process belongs to, or -1. */
static int rank_of(const char *pid, const char *directory)
{
	g_autofree char *file = g_strdup_printf("/proc/%s/environ", pid);
	g_autofree char *block = NULL;
	const char *place, *rank;
	gsize size;

	if (!g_file_get_contents(file, &block, &size, NULL))
		return -1;
	place = value_in(block, size, ENVIRONMENT_DIRECTORY);
	rank = value_in(block, size, "PMI_RANK");
	return place && rank && strcmp(place, directory) == 0 ? atoi(rank) : -1;
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
