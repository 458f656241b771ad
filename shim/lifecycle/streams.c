#define _GNU_SOURCE
#include "streams.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void redirect(int descriptor, const char *path, int flags)
{
	int opened = open(path, flags | O_CLOEXEC, 0600);
	if (opened < 0)
		return;
	dup2(opened, descriptor);
	close(opened);
}

static void redirect_output(int descriptor, const char *name, int rank, uint32_t world)
{
	char path[PATH_MAX];
	const char *directory = getenv("MATCHPOINT_DIRECTORY");

	snprintf(path, sizeof(path), "%s/w%u/%s.%d", directory, world, name, rank);
	redirect(descriptor, path, O_WRONLY | O_APPEND | O_CREAT);
}

void streams_redirect(int rank, uint32_t world)
{
	const char *input = getenv("MATCHPOINT_STDIN");

	if (getenv("MATCHPOINT_REDIRECTED"))
		return;
	redirect(STDIN_FILENO, input ? input : "/dev/null", O_RDONLY);
	redirect_output(STDOUT_FILENO, "out", rank, world);
	redirect_output(STDERR_FILENO, "err", rank, world);
	/* Last: after bash's own setenv, its getenv finds nothing else this early. */
	setenv("MATCHPOINT_REDIRECTED", "1", 1);
}
