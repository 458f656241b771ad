/* Ranks that are saved on disk, and restarted from there (ckpt/agent_disk.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ckpt/agent_disk.h"
#include "ckpt/agent_failure.h"
#include "park_internal.h"

/* What the scheduler of the restarted world has said about it. */
static void note_restarted(void)
{
	park.world = (uint32_t)strtoul(agent_disk_told("world"), NULL, 10);
	snprintf(park.socket_path, sizeof(park.socket_path), "%s", agent_disk_told("socket"));
	snprintf(park.pmi_path, sizeof(park.pmi_path), "%s", agent_disk_told("pmi"));
	park.launcher_fd = -1;
	park.restarted = true;
	park_debugger_restarted();
}

pid_t park_save(const struct wire_restore *restore, const struct agent_clone *clones)
{
	const struct agent_disk_order order = {.folder = restore->folder,
	                                       .base = restore->base ? restore->base : "",
	                                       .rank = restore->rank,
	                                       .launcher_fd = park.launcher_fd};
	pid_t pid = agent_disk_save(park.agent, restore->directory, clones, restore->count, &order);

	if (pid == 0)
		note_restarted();
	return pid;
}

static _Noreturn void fail(const char *what)
{
	dprintf(STDERR_FILENO, "%s: %s\n", what, strerror(errno));
	_exit(AGENT_FAILURE_DISK);
}

void park_restart(int rank, uint32_t world)
{
	const char *folder = getenv("MATCHPOINT_RESTART");
	const char *restorer = getenv("MATCHPOINT_RESTORER");
	static char directory[PATH_MAX], image[PATH_MAX];
	int opened;

	if (!folder || !restorer)
		return;
	snprintf(directory, sizeof(directory), "%s/w%u", getenv("MATCHPOINT_DIRECTORY"), world);
	snprintf(image, sizeof(image), "%s/rank.%d.img", folder, rank);
	opened = open(directory, O_RDONLY | O_DIRECTORY);
	if (opened < 0 || dup2(opened, AGENT_WORLD_FD) < 0)
		fail(directory);
	close(opened);
	agent_disk_become(restorer, image);
}
