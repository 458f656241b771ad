/* The descriptors of a rank that is written to disk. A child of a keeper inherits most of what the
 * survey (agent_files.c) does not renew; a process that was restarted has nothing, so each is made
 * again: what the survey renews must only be open under its number, and what belongs to MPI gets an
 * equal one. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent_disk_internal.h"
#include "agent_internal.h"

enum disk_descriptor_kind {
	DISK_FILE,   /* or a device: opened by its path */
	DISK_PIPE,   /* of MPI, both ends of which the process has */
	DISK_EVENT,  /* of MPI: an event counter */
	DISK_SOCKET, /* of MPI: of datagrams, connected to nobody */
};

struct disk_descriptor {
	int fd, flags; /* as for open() */
	enum disk_descriptor_kind kind;
	uint64_t device, inode; /* pipe: which */
	uint64_t count;         /* event counter */
	bool semaphore, creates;
	mode_t mode;
	const char *path;
};

struct agent_disk_descriptors {
	struct disk_descriptor *list;
	size_t count;
};

/* --- noting ----------------------------------------------------------------------------------- */

static const struct agent_file *find_file(const struct agent *agent, int fd)
{
	for (size_t i = 0; i < agent->file_count; i++)
		if (agent->files[i].fd == fd)
			return &agent->files[i];
	return NULL;
}

static const struct agent_descriptor *find_known(const struct agent *agent, int fd,
                                                 const struct stat *status)
{
	for (size_t i = 0; i < agent->known_count; i++)
		if (agent->known[i].fd == fd && agent->known[i].device == status->st_dev
		    && agent->known[i].inode == status->st_ino)
			return &agent->known[i];
	return NULL;
}

/* Returns the path of its file; NULL with a reason noted. */
static const char *path_of(struct agent *agent, struct disk_writer *writer, int fd)
{
	char name[32], path[PATH_MAX], *copy;
	struct stat opened, named;
	ssize_t length;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	length = readlink(name, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	if (fstat(fd, &opened) < 0 || stat(path, &named) < 0 || opened.st_dev != named.st_dev
	    || opened.st_ino != named.st_ino) {
		disk_refuse(writer, "it has a file open whose name is gone (descriptor %d, %s)", fd,
		            path);
		return NULL;
	}
	copy = agent_arena_take(&agent->arena, strlen(path) + 1);
	if (!copy) {
		disk_fail(writer, "there is too little memory to write it");
		return NULL;
	}
	return memcpy(copy, path, strlen(path) + 1);
}

static int note_event(struct disk_writer *writer, struct disk_descriptor *one)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", one->fd);
	if (disk_read_text(writer, path) < 0)
		return -1;
	if (!agent_read_event(writer->text, &one->count, &one->semaphore))
		return disk_refuse(writer, "the value of an eventfd of MPI is not known");
	one->kind = DISK_EVENT;
	return 0;
}

static int note_socket(struct disk_writer *writer, struct disk_descriptor *one)
{
	struct sockaddr_un name, peer;
	socklen_t size = sizeof(name), peer_size = sizeof(peer), type_size = sizeof(int);
	int type = 0;

	one->kind = DISK_SOCKET;
	if (getsockopt(one->fd, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_DGRAM
	    && getsockname(one->fd, (struct sockaddr *)&name, &size) == 0
	    && name.sun_family == AF_UNIX
	    && getpeername(one->fd, (struct sockaddr *)&peer, &peer_size) < 0)
		return 0;
	return disk_refuse(writer, "MPI has a connection to another process (descriptor %d)",
	                   one->fd);
}

static int note_pipe(const struct agent *agent, struct disk_writer *writer,
                     struct disk_descriptor *one)
{
	int bytes = 0, ends = 0;

	one->kind = DISK_PIPE;
	for (size_t i = 0; i < agent->descriptor_count; i++) {
		struct stat status;

		ends += fstat(agent->descriptors[i], &status) == 0 && status.st_dev == one->device
		        && status.st_ino == one->inode;
	}
	if (ends != 2)
		return disk_refuse(writer, "MPI shares a pipe with another process (descriptor %d)",
		                   one->fd);
	if (ioctl(one->fd, FIONREAD, &bytes) == 0 && bytes > 0)
		return disk_refuse(writer, "there is data in a pipe of MPI (descriptor %d)",
		                   one->fd);
	return 0;
}

/* What the survey has left out: it is MPI's. */
static int note_mpis(struct agent *agent, struct disk_writer *writer, struct disk_descriptor *one,
                     const struct stat *status)
{
	char name[32], link[64];
	ssize_t length;

	if (S_ISSOCK(status->st_mode))
		return note_socket(writer, one);
	if (S_ISFIFO(status->st_mode))
		return note_pipe(agent, writer, one);
	if (S_ISCHR(status->st_mode)) {
		one->path = path_of(agent, writer, one->fd);
		return one->path ? 0 : -1;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", one->fd);
	length = readlink(name, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	if (strcmp(link, "anon_inode:[eventfd]") == 0)
		return note_event(writer, one);
	return disk_refuse(writer, "MPI has opened a descriptor of the kind %s (%d)", link,
	                   one->fd);
}

/* Returns 1 if it has to be made, 0 if not; -1 with a reason noted. */
static int note_descriptor(struct agent *agent, struct disk_writer *writer,
                           struct disk_descriptor *one)
{
	const struct agent_file *file = find_file(agent, one->fd);
	const struct agent_descriptor *known;
	struct stat status;

	if (one->fd == AGENT_WORLD_FD || one->fd == agent->control_fd || one->fd == agent->pmi_fd
	    || fstat(one->fd, &status) < 0)
		return 0;
	one->device = status.st_dev;
	one->inode = status.st_ino;
	one->mode = status.st_mode & 07777;
	one->flags = fcntl(one->fd, F_GETFL)
	             | (fcntl(one->fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
	if (!file) {
		known = find_known(agent, one->fd, &status);
		if (!known)
			return 0; /* opened since by the agent, or matchpoint's own */
		if (known->inherited && one->fd > STDERR_FILENO)
			return 0; /* the launcher's */
		return note_mpis(agent, writer, one, &status) < 0 ? -1 : 1;
	}
	if (file->shared_with >= 0 || file->kind == AGENT_EPOLL || file->kind == AGENT_PIPE
	    || file->kind == AGENT_EVENT || file->kind == AGENT_WORLD_FILE
	    || agent_is_mapped(agent, file))
		return 0; /* renewed without the old one */
	one->path = path_of(agent, writer, one->fd);
	one->creates = file->has_contents;
	return one->path ? 1 : -1;
}

/* Those of MPI that were closed since, whose number may be another's now. */
static void forget_closed(struct agent *agent)
{
	for (size_t i = 0; i < agent->known_count; i++) {
		struct stat status;

		if (fstat(agent->known[i].fd, &status) < 0
		    || status.st_dev != agent->known[i].device
		    || status.st_ino != agent->known[i].inode)
			agent->known[i].fd = -1;
	}
}

struct agent_disk_descriptors *disk_note_descriptors(struct agent *agent,
                                                     struct disk_writer *writer)
{
	struct agent_disk_descriptors *all = agent_arena_take(&agent->arena, sizeof(*all));

	if (all)
		all->list = agent_arena_take(&agent->arena,
		                             (agent->descriptor_count + 1) * sizeof(*all->list));
	if (!all || !all->list) {
		disk_fail(writer, "there is too little memory to write it");
		return NULL;
	}
	for (size_t i = 0; i < agent->descriptor_count; i++) {
		struct disk_descriptor *one = &all->list[all->count];
		int noted;

		*one = (struct disk_descriptor){.fd = agent->descriptors[i]};
		noted = note_descriptor(agent, writer, one);
		if (noted < 0)
			return NULL;
		all->count += (size_t)noted;
	}
	forget_closed(agent);
	return all;
}

/* --- making ----------------------------------------------------------------------------------- */

/* Above all numbers that are used, so that nothing is overwritten. */
#define APART (AGENT_WORLD_FD + 40)

static int put_at(int fd, const struct disk_descriptor *one)
{
	int result;

	if (fd < 0)
		return -1;
	fcntl(fd, F_SETFL, one->flags & AGENT_STATUS_FLAGS);
	if (fd == one->fd)
		return fcntl(fd, F_SETFD, one->flags & O_CLOEXEC ? FD_CLOEXEC : 0);
	result = dup3(fd, one->fd, one->flags & O_CLOEXEC);
	close(fd);
	return result < 0 ? -1 : 0;
}

/* A file that is gone, whose contents are known, is made; its contents come later. */
static int open_file(const struct disk_descriptor *one)
{
	int once = O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY | O_TMPFILE; /* contains O_DIRECTORY */
	int flags = one->flags & ~once;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, one->path, flags);

	if (fd < 0 && errno == ENOENT && one->creates)
		fd = (int)syscall(SYS_openat, AT_FDCWD, one->path, flags | O_CREAT, one->mode);
	return fd;
}

static int make_socket(const struct disk_descriptor *one)
{
	const struct sockaddr_un any = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof(any.sun_family)) < 0) {
		close(fd);
		return -1;
	}
	return put_at(fd, one);
}

/* Makes both ends when called for the first. */
static int make_pipe(const struct agent_disk_descriptors *all, size_t at)
{
	const struct disk_descriptor *one = &all->list[at], *other = NULL;
	int ends[2], first, second;

	for (size_t i = 0; i < all->count; i++)
		if (i != at && all->list[i].kind == DISK_PIPE && all->list[i].inode == one->inode)
			other = &all->list[i];
	if (!other || other->fd < one->fd)
		return other ? 0 : -1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	first = fcntl(ends[0], F_DUPFD_CLOEXEC, APART);
	second = fcntl(ends[1], F_DUPFD_CLOEXEC, APART);
	close(ends[0]);
	close(ends[1]);
	if ((one->flags & O_ACCMODE) == O_RDONLY)
		return put_at(first, one) < 0 ? -1 : put_at(second, other);
	return put_at(second, one) < 0 ? -1 : put_at(first, other);
}

static int make(const struct agent_disk_descriptors *all, size_t at)
{
	const struct disk_descriptor *one = &all->list[at];

	switch (one->kind) {
	case DISK_FILE: return put_at(open_file(one), one);
	case DISK_PIPE: return make_pipe(all, at);
	case DISK_EVENT:
		return put_at(agent_make_event(one->count, one->semaphore, one->flags), one);
	case DISK_SOCKET: return make_socket(one);
	}
	return -1;
}

/* What the process was started with; standard error stays until it is replaced. */
static void close_others(const struct agent *agent)
{
	enum { MOST = 4096 };

	for (int fd = STDERR_FILENO + 1; fd < MOST; fd++)
		if (fd != AGENT_WORLD_FD)
			close(fd);
	(void)agent;
}

int disk_make_descriptors(struct agent *agent, const struct agent_disk_descriptors *then,
                          char trouble[static 512])
{
	close_others(agent);
	for (size_t i = 0; i < then->count; i++) {
		if (make(then, i) == 0)
			continue;
		snprintf(trouble, 512, "%.400s (descriptor %d): %s",
		         then->list[i].path ? then->list[i].path : "MPI's own", then->list[i].fd,
		         strerror(errno));
		return -1;
	}
	return 0;
}

void disk_know_descriptors(struct agent *agent)
{
	for (size_t i = 0; i < agent->known_count; i++) {
		struct stat status;

		if (agent->known[i].fd < 0 || fstat(agent->known[i].fd, &status) < 0)
			continue;
		agent->known[i].device = status.st_dev;
		agent->known[i].inode = status.st_ino;
	}
}
