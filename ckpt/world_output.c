#define _GNU_SOURCE
#include "world_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

bool world_output_is(const char *name)
{
	return strncmp(name, "out.", 4) == 0 || strncmp(name, "err.", 4) == 0;
}

int world_output_no_follow(const char *name)
{
	return world_output_is(name) ? 0 : O_NOFOLLOW;
}

int world_output_remove(int directory, const char *name)
{
	char target[PATH_MAX];
	ssize_t length = -1;

	if (strcmp(name, AGENT_OUTPUT) == 0)
		return 0;
	if (world_output_is(name))
		length = readlinkat(directory, name, target, sizeof(target) - 1);
	if (length > 0) {
		target[length] = '\0';
		name = target;
	}
	return unlinkat(directory, name, 0) == 0 || errno == ENOENT ? 0 : -1;
}
