#define _GNU_SOURCE
#include "agent_objects.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent.h"

/* --- processes that may share them ------------------------------------------------------------ */

/* Page faults of the children that it has waited for, and of theirs. Every child has some. */
static long faults_of_children(void)
{
	struct rusage usage = {0};

	return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_minflt + usage.ru_majflt : 0;
}

static struct {
	bool any; /* the program has ever had a child */
	long own; /* faults of children of this process that are not the program's */
} children;

bool agent_had_children(void)
{
	children.any |= faults_of_children() > children.own;
	return children.any;
}

void agent_know_children(void)
{
	children.own = faults_of_children();
}

/* --- pipes ------------------------------------------------------------------------------------ */

size_t agent_pipe_room(int fd)
{
	int size = fcntl(fd, F_GETPIPE_SZ);

	return size > 0 ? (size_t)size : 0;
}

bool agent_pipe_is_empty(int fd)
{
	int count = 0;

	return ioctl(fd, FIONREAD, &count) == 0 && count == 0;
}

/* Moves the descriptor to a number that is neither. */
static int move_off(int fd, int one, int other)
{
	while (fd == one || fd == other) {
		int moved = fcntl(fd, F_DUPFD_CLOEXEC, 0);

		if (moved < 0 || (moved != one && moved != other)) {
			close(fd);
			return moved;
		}
		fd = moved; /* keep the old number taken: it is replaced later */
	}
	return fd;
}

static int place(int made, const struct agent_end *end)
{
	if (fcntl(made, F_SETFL, end->flags & AGENT_STATUS_FLAGS) < 0)
		return -1;
	return dup3(made, end->fd, end->flags & O_CLOEXEC) < 0 ? -1 : 0;
}

static int set_room(int fd, size_t room)
{
	if (agent_pipe_room(fd) == room || fcntl(fd, F_SETPIPE_SZ, (int)room) == (int)room)
		return 0;
	return -1;
}

int agent_make_pipe(const struct agent_end *reads, const struct agent_end *writes, size_t room)
{
	int made[2], result = -1, error;

	if (pipe2(made, O_CLOEXEC) < 0)
		return -1;
	for (int i = 0; i < 2; i++)
		made[i] = move_off(made[i], reads->fd, writes->fd);
	if (made[0] >= 0 && made[1] >= 0 && set_room(made[0], room) == 0
	    && place(made[0], reads) == 0)
		result = place(made[1], writes);
	error = errno;
	for (int i = 0; i < 2; i++)
		if (made[i] >= 0)
			close(made[i]);
	errno = error;
	return result;
}

/* --- event counters --------------------------------------------------------------------------- */

/* Lines like "eventfd-count: 2a" and, since Linux 6.5, "eventfd-semaphore: 1". */
bool agent_read_event(const char *info, uint64_t *ret_count, bool *ret_semaphore)
{
	const char *count = strstr(info, "eventfd-count:");
	const char *semaphore = strstr(info, "eventfd-semaphore:");
	int is_semaphore;

	if (!count || !semaphore || sscanf(count + 14, " %" SCNx64, ret_count) != 1
	    || sscanf(semaphore + 18, " %d", &is_semaphore) != 1)
		return false;
	*ret_semaphore = is_semaphore != 0;
	return true;
}

int agent_make_event(uint64_t count, bool semaphore, int flags)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | (semaphore ? EFD_SEMAPHORE : 0));

	if (fd >= 0
	    && ((count && write(fd, &count, sizeof(count)) < 0)
	        || fcntl(fd, F_SETFL, flags & AGENT_STATUS_FLAGS) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}
