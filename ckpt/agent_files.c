/* Descriptors: what each one is at the survey. What becomes of them: agent_renew.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent_internal.h"

void agent_set_hazard(struct agent *agent, const char *format, ...)
{
	va_list arguments;

	if (agent->hazard[0])
		return;
	va_start(arguments, format);
	vsnprintf(agent->hazard, sizeof(agent->hazard), format, arguments);
	va_end(arguments);
}

static long list_descriptors(struct agent_arena *arena, int directory, int **ret_fds)
{
	long count = agent_list_numbers(arena, directory, ret_fds);

	for (long i = 0; i < count; i++)
		if ((*ret_fds)[i] == directory)
			(*ret_fds)[i--] = (*ret_fds)[--count];
	return count;
}

int agent_know_descriptors(struct agent *agent)
{
	int directory = agent_open_directory("/proc/self/fd"), *fds;
	long count = directory < 0 ? -1 : list_descriptors(&agent->own, directory, &fds);

	if (directory >= 0)
		close(directory);
	if (count < 0)
		return -1;
	agent->known = agent_arena_take(&agent->own, ((size_t)count + 1) * sizeof(*agent->known));
	if (!agent->known)
		return -1;
	for (long i = 0; i < count; i++) {
		struct stat status;

		if (fstat(fds[i], &status) < 0)
			continue;
		agent->known[agent->known_count++] = (struct agent_descriptor){
			.fd = fds[i], .device = status.st_dev, .inode = status.st_ino};
	}
	return 0;
}

static bool is_known(const struct agent *agent, int fd, const struct stat *status)
{
	for (size_t i = 0; i < agent->known_count; i++)
		if (agent->known[i].fd == fd && agent->known[i].device == status->st_dev
		    && agent->known[i].inode == status->st_ino)
			return true;
	return false;
}

static bool is_harmless_device(dev_t device)
{
	/* null, zero, full, random, urandom: no state of their own */
	static const unsigned minors[] = {3, 5, 7, 8, 9};

	if (major(device) != 1)
		return false;
	for (size_t i = 0; i < sizeof(minors) / sizeof(*minors); i++)
		if (minor(device) == minors[i])
			return true;
	return false;
}

/* Where kcmp is forbidden: copies share the status flags. This one means nothing to a file. */
static bool share_flags(int fd, int other)
{
	int flags = fcntl(fd, F_GETFL);
	bool shared;

	if (flags < 0 || fcntl(other, F_GETFL) != flags
	    || fcntl(fd, F_SETFL, flags ^ O_NONBLOCK) < 0)
		return false;
	shared = fcntl(other, F_GETFL) != flags;
	fcntl(fd, F_SETFL, flags);
	return shared;
}

static bool same_description(const struct agent_file *file, const struct agent_file *other)
{
	long self = syscall(SYS_getpid), order;

	if (file->kind != other->kind || file->device != other->device
	    || file->inode != other->inode)
		return false;
	order = syscall(SYS_kcmp, self, self, KCMP_FILE, file->fd, other->fd);
	return order >= 0 ? order == 0 : share_flags(file->fd, other->fd);
}

/* "tfd: 5 events: 19 data: ffffffff00000005 pos:0 ino:2a1 sdev:9", a line for each. */
static int read_watches(struct agent *agent, struct agent_file *file, const char *info)
{
	size_t lines = 0;

	for (const char *at = strstr(info, "tfd:"); at; at = strstr(at + 1, "tfd:"))
		lines++;
	file->watches = agent_arena_take(&agent->arena, (lines + 1) * sizeof(*file->watches));
	if (!file->watches)
		return -1;
	for (const char *at = strstr(info, "tfd:"); at; at = strstr(at + 1, "tfd:")) {
		struct agent_watch *watch = &file->watches[file->watch_count];
		uint64_t data;

		if (sscanf(at, "tfd: %d events: %" SCNx32 " data: %" SCNx64, &watch->fd,
		           &watch->event.events, &data)
		    != 3)
			continue;
		watch->event.data.u64 = data;
		file->watch_count++;
	}
	return 0;
}

static int read_info(struct agent *agent, struct agent_file *file, int directory)
{
	char path[64], *info;
	const char *at;

	snprintf(path, sizeof(path), "../fdinfo/%d", file->fd);
	info = agent_read_text(&agent->arena, directory, path);
	if (!info)
		return -1;
	at = strstr(info, "pos:");
	file->offset = at ? (off_t)strtoll(at + 4, NULL, 10) : 0;
	at = strstr(info, "flags:");
	file->flags = at ? (int)strtol(at + 6, NULL, 8) : 0;
	if (strstr(info, "lock:"))
		agent_set_hazard(agent, "it holds a lock on an open file (descriptor %d)",
		                 file->fd);
	return file->kind == AGENT_EPOLL ? read_watches(agent, file, info) : 0;
}

static int pread_all(int fd, uint8_t *to, size_t size, size_t *ret_read)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, to + done, size - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	*ret_read = done;
	return 0;
}

static int read_contents(struct agent *agent, struct agent_file *file, size_t size)
{
	uint8_t *contents;
	int fd, result;

	agent->contents_size += size;
	if (agent->contents_size > AGENT_CONTENTS_MAX) {
		agent_set_hazard(agent,
		                 "the files it has open for writing are too large to put back");
		return 0;
	}
	fd = agent_open_again(file->fd, O_RDWR | O_CLOEXEC); /* as it will be to be put back */
	if (fd < 0) {
		agent_set_hazard(agent,
		                 "it writes to a file that cannot be opened again (descriptor %d)",
		                 file->fd);
		return 0;
	}
	contents = agent_arena_take(&agent->arena, size + 1);
	result = contents ? pread_all(fd, contents, size, &file->size) : -1;
	close(fd);
	if (result < 0)
		return -1;
	file->contents = contents;
	file->has_contents = true;
	return 0;
}

static const char *copy_text(struct agent *agent, const char *text)
{
	size_t length = strlen(text);
	char *copy = agent_arena_take(&agent->arena, length + 1);

	return copy ? memcpy(copy, text, length) : NULL;
}

/* A file in the world's directory, one that has a name, or one that has none (any more). */
static int survey_name(struct agent *agent, struct agent_file *file, const char *link)
{
	size_t world = strlen(agent->world);
	struct stat status;

	if (lstat(link, &status) < 0 || status.st_dev != file->device
	    || status.st_ino != file->inode)
		return 0;
	if (world && !strncmp(link, agent->world, world) && link[world] == '/'
	    && !strchr(link + world + 1, '/')) {
		file->kind = AGENT_WORLD_FILE;
		link += world + 1;
	}
	file->name = copy_text(agent, link);
	return file->name ? 0 : -1;
}

/* Contents once for every file, however many descriptors it has. */
static int survey_regular(struct agent *agent, struct agent_file *file, const char *link,
                          const struct stat *status)
{
	bool writable = (file->flags & O_ACCMODE) != O_RDONLY;

	file->mode = status->st_mode & 07777;
	if (survey_name(agent, file, link) < 0)
		return -1;
	if ((!writable && file->kind != AGENT_WORLD_FILE) || agent_is_mapped(agent, file))
		return 0;
	for (struct agent_file *other = agent->files; other != file; other++)
		if (other->has_contents && other->device == file->device
		    && other->inode == file->inode)
			return 0;
	return read_contents(agent, file, (size_t)status->st_size);
}

static void judge_descriptor(struct agent *agent, int fd, const char *link,
                             const struct stat *status)
{
	if (S_ISCHR(status->st_mode) && is_harmless_device(status->st_rdev))
		return;
	if (S_ISSOCK(status->st_mode))
		agent_set_hazard(agent, "it has opened a socket (descriptor %d)", fd);
	else if (S_ISFIFO(status->st_mode))
		agent_set_hazard(agent, "it has opened a pipe (descriptor %d)", fd);
	else
		agent_set_hazard(agent, "it has opened %s (descriptor %d)", link, fd);
}

/* Sockets, pipes and devices that MPI shares with its copies need no further look. */
static bool is_shared(const struct agent *agent, int fd, const struct stat *status)
{
	if (fd == AGENT_WORLD_FD || fd == agent->control_fd || fd == agent->pmi_fd)
		return true;
	return (S_ISSOCK(status->st_mode) || S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode))
	       && is_known(agent, fd, status);
}

static int survey_descriptor(struct agent *agent, int directory, int fd)
{
	struct agent_file *file = &agent->files[agent->file_count];
	char name[16], link[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (fstat(fd, &status) < 0 || is_shared(agent, fd, &status))
		return 0;
	snprintf(name, sizeof(name), "%d", fd);
	length = readlinkat(directory, name, link, sizeof(link) - 1);
	if (length < 0)
		return 0;
	link[length] = '\0';
	*file = (struct agent_file){
		.fd = fd, .shared_with = -1, .device = status.st_dev, .inode = status.st_ino};
	if (!strcmp(link, "anon_inode:[eventpoll]")) {
		file->kind = AGENT_EPOLL;
	} else if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
		if (!is_known(agent, fd, &status))
			judge_descriptor(agent, fd, link, &status);
		return 0;
	}
	if (read_info(agent, file, directory) < 0)
		return -1;
	if (S_ISREG(status.st_mode) && survey_regular(agent, file, link, &status) < 0)
		return -1;
	for (size_t i = 0; i < agent->file_count && file->shared_with < 0; i++)
		if (agent->files[i].shared_with < 0 && same_description(file, &agent->files[i]))
			file->shared_with = agent->files[i].fd;
	agent->file_count++;
	return 0;
}

static int ascending(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

static int survey_descriptors(struct agent *agent, int directory)
{
	int *fds;
	long count = list_descriptors(&agent->arena, directory, &fds);

	if (count < 0)
		return -1;
	qsort(fds, (size_t)count, sizeof(*fds), ascending);
	agent->files = agent_arena_take(&agent->arena, ((size_t)count + 1) * sizeof(*agent->files));
	if (!agent->files)
		return -1;
	for (long i = 0; i < count; i++)
		if (survey_descriptor(agent, directory, fds[i]) < 0)
			return -1;
	return 0;
}

int agent_survey_files(struct agent *agent)
{
	int directory = agent_open_directory("/proc/self/fd"), result, error;

	if (directory < 0)
		return -1;
	result = survey_descriptors(agent, directory);
	error = errno;
	close(directory);
	errno = error;
	return result;
}
