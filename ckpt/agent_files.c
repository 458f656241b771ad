/* The survey of descriptors. agent_renew.c restores them. */
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

/* Returns their number; -1 with errno. */
static long describe_descriptors(struct agent_arena *arena, struct agent_descriptor **ret)
{
	int directory = agent_open_directory("/proc/self/fd"), *fds;
	long count = directory < 0 ? -1 : list_descriptors(arena, directory, &fds), described = 0;
	struct agent_descriptor *list;

	if (directory >= 0)
		close(directory);
	if (count < 0)
		return -1;
	list = agent_arena_take(arena, ((size_t)count + 1) * sizeof(*list));
	if (!list)
		return -1;
	for (long i = 0; i < count; i++) {
		struct stat status;

		if (fstat(fds[i], &status) < 0)
			continue;
		list[described++] = (struct agent_descriptor){
			.fd = fds[i],
			.inherited = !(fcntl(fds[i], F_GETFD) & FD_CLOEXEC),
			.device = status.st_dev,
			.inode = status.st_ino};
	}
	*ret = list;
	return described;
}

static const struct agent_descriptor *find(const struct agent_descriptor *list, size_t count,
                                           int fd, uint64_t device, uint64_t inode)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].fd == fd && list[i].device == device && list[i].inode == inode)
			return &list[i];
	return NULL;
}

/* Descriptors that were open at some time before agent_new. */
struct opened {
	struct agent_arena arena;
	struct agent_descriptor *list;
	size_t count;
};

static struct opened before_main, before_init;

static void note_opened(struct opened *opened)
{
	long count;

	agent_arena_release(&opened->arena);
	count = describe_descriptors(&opened->arena, &opened->list);
	opened->count = count > 0 ? (size_t)count : 0;
}

static void forget_opened(struct opened *opened)
{
	opened->count = 0;
	agent_arena_release(&opened->arena);
}

void agent_before_main(void)
{
	note_opened(&before_main);
}

void agent_note_early(void)
{
	note_opened(&before_init);
}

static const struct agent_descriptor *find_opened(const struct opened *opened,
                                                  const struct agent_descriptor *one)
{
	return find(opened->list, opened->count, one->fd, one->device, one->inode);
}

int agent_know_descriptors(struct agent *agent)
{
	long count = describe_descriptors(&agent->own, &agent->known);

	for (long i = 0; i < count; i++) {
		struct agent_descriptor *one = &agent->known[i];
		const struct agent_descriptor *first = find_opened(&before_main, one);

		one->inherited = one->fd > STDERR_FILENO && first && first->inherited;
		one->early = !one->inherited && find_opened(&before_init, one);
	}
	agent->known_count = count > 0 ? (size_t)count : 0;
	forget_opened(&before_main);
	forget_opened(&before_init);
	return count < 0 ? -1 : 0;
}

static const struct agent_descriptor *find_known(const struct agent *agent, int fd,
                                                 const struct stat *status)
{
	return find(agent->known, agent->known_count, fd, status->st_dev, status->st_ino);
}

static bool is_harmless_device(dev_t device)
{
	/* null, zero, full, random, urandom: devices without state */
	static const unsigned minors[] = {3, 5, 7, 8, 9};

	if (major(device) != 1)
		return false;
	for (size_t i = 0; i < sizeof(minors) / sizeof(*minors); i++)
		if (minor(device) == minors[i])
			return true;
	return false;
}

/* For systems that forbid kcmp: copies of a descriptor share its status flags. The flag toggled has
 * no meaning for a file. */
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

/* Parses lines like "tfd: 5 events: 19 data: ffffffff00000005 pos:0 ino:2a1 sdev:9". */
bool agent_next_watch(const char **at, struct agent_watch *ret_watch)
{
	for (const char *line = strstr(*at, "tfd:"); line; line = strstr(*at, "tfd:")) {
		uint64_t data;

		*at = line + 1;
		if (sscanf(line, "tfd: %d events: %" SCNx32 " data: %" SCNx64, &ret_watch->fd,
		           &ret_watch->event.events, &data)
		    == 3) {
			ret_watch->event.data.u64 = data;
			return true;
		}
	}
	return false;
}

/* The kernel lists watches in the order of its own addresses. */
static int by_descriptor(const void *left, const void *right)
{
	const struct agent_watch *one = left, *other = right;

	if (one->fd != other->fd)
		return one->fd < other->fd ? -1 : 1;
	return one->event.data.u64 < other->event.data.u64   ? -1
	       : one->event.data.u64 > other->event.data.u64 ? 1
	                                                     : 0;
}

static int read_watches(struct agent *agent, struct agent_file *file, const char *info)
{
	struct agent_watch watch;
	size_t lines = 0;

	for (const char *at = info; agent_next_watch(&at, &watch);)
		lines++;
	file->watches = agent_arena_take(&agent->arena, (lines + 1) * sizeof(*file->watches));
	if (!file->watches)
		return -1;
	while (agent_next_watch(&info, &file->watches[file->watch_count]))
		file->watch_count++;
	qsort(file->watches, file->watch_count, sizeof(*file->watches), by_descriptor);
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
	if (file->kind == AGENT_EVENT && !agent_read_event(info, &file->count, &file->semaphore))
		file->count = UINT64_MAX;
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

	if (size == 0 && file->kind == AGENT_WORLD_FILE) {
		file->contents = (const uint8_t *)"";
		file->has_contents = true;
		return 0;
	}
	agent->contents_size += size;
	if (agent->contents_size > AGENT_CONTENTS_MAX) {
		agent_set_hazard(agent,
		                 "the files it has open for writing are too large to put back");
		return 0;
	}
	fd = agent_open_again(file->fd, O_RDWR | O_CLOEXEC); /* as when it is restored */
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

static bool is_in(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return length && !strncmp(path, directory, length) && path[length] == '/'
	       && !strchr(path + length + 1, '/');
}

/* Determines the name: in the world's directory, elsewhere, or none (any more). */
static int survey_name(struct agent *agent, struct agent_file *file, const char *link)
{
	struct stat status;

	if (lstat(link, &status) < 0 || status.st_dev != file->device
	    || status.st_ino != file->inode)
		return 0;
	if (is_in(link, agent->world) || is_in(link, agent->output)) {
		file->kind = AGENT_WORLD_FILE;
		link = strrchr(link, '/') + 1;
	}
	file->name = copy_text(agent, link);
	return file->name ? 0 : -1;
}

/* Keeps the contents once for every file, however many descriptors it has. */
static int survey_contents(struct agent *agent, struct agent_file *file)
{
	bool writable = (file->flags & O_ACCMODE) != O_RDONLY;
	struct stat status;

	if (fstat(file->fd, &status) < 0)
		return -1;
	if (!S_ISREG(status.st_mode) || (!writable && file->kind != AGENT_WORLD_FILE)
	    || agent_is_mapped(agent, file))
		return 0;
	for (struct agent_file *other = agent->files; other != file; other++)
		if (other->has_contents && other->device == file->device
		    && other->inode == file->inode)
			return 0;
	return read_contents(agent, file, (size_t)status.st_size);
}

static void judge_descriptor(struct agent *agent, int fd, const char *link,
                             const struct stat *status)
{
	if (S_ISSOCK(status->st_mode))
		agent_set_hazard(agent, "it has opened a socket (descriptor %d)", fd);
	else if (S_ISFIFO(status->st_mode))
		agent_set_hazard(agent, "it has opened a FIFO (descriptor %d)", fd);
	else if (!strncmp(link, "anon_inode:", 11))
		agent_set_hazard(agent, "it has opened a descriptor of the kind %s (%d)", link + 11,
		                 fd);
	else
		agent_set_hazard(agent, "it has opened %s (descriptor %d)", link, fd);
}

static bool is_device(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && is_harmless_device(status->st_rdev);
}

/* Sockets, pipes and devices of MPI and the launcher, which stay shared with copies. A device that
 * may be the program's is reopened. */
static bool is_shared(const struct agent *agent, int fd, const struct stat *status)
{
	const struct agent_descriptor *known;

	if (fd == AGENT_WORLD_FD || fd == agent->control_fd || fd == agent->pmi_fd)
		return true;
	known = S_ISSOCK(status->st_mode) || S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode)
	                ? find_known(agent, fd, status)
	                : NULL;
	return known && !known->early && (known->inherited || !is_device(status));
}

/* For descriptors that are not files and cannot be reopened. */
static bool is_programs(const struct agent *agent, int fd, const struct stat *status)
{
	const struct agent_descriptor *known = find_known(agent, fd, status);

	return !known || known->early;
}

/* Only the launcher changes the launcher's flags. */
static void survey_shared(struct agent *agent, int fd, const struct stat *status)
{
	const struct agent_descriptor *known = find_known(agent, fd, status);
	int flags = known && !known->inherited ? fcntl(fd, F_GETFL) : -1;

	if (flags >= 0 && fd != agent->control_fd && fd != agent->pmi_fd && fd != AGENT_WORLD_FD)
		agent->shared[agent->shared_count++] = (struct agent_shared){
			fd, flags & AGENT_STATUS_FLAGS};
}

/* --- pipes and event counters ----------------------------------------------------------------- */

/* The state of a pipe or event counter that only this process has is known, and a copy gets an
 * equal one. If others have it, all copies would share it and see each other's changes: a hazard.
 *
 * A process must have both ends of a pipe, once each, and the pipe must be empty. How much fits
 * behind data in a pipe depends on how the data was written, which cannot be seen. */

/* False: neither of them. */
static bool find_object(const char *link, const struct stat *status, enum agent_file_kind *ret_kind)
{
	if (S_ISFIFO(status->st_mode) && !strncmp(link, "pipe:[", 6))
		*ret_kind = AGENT_PIPE;
	else if (!strcmp(link, "anon_inode:[eventfd]"))
		*ret_kind = AGENT_EVENT;
	else
		return false;
	return true;
}

const struct agent_file *agent_pipe_mate(const struct agent *agent, const struct agent_file *file)
{
	const struct agent_file *mate = NULL;

	for (size_t i = 0; i < agent->file_count; i++) {
		const struct agent_file *other = &agent->files[i];

		if (other == file || other->kind != AGENT_PIPE || other->shared_with >= 0
		    || other->device != file->device || other->inode != file->inode)
			continue;
		if (mate)
			return NULL;
		mate = other;
	}
	return mate && (mate->flags & O_ACCMODE) + (file->flags & O_ACCMODE) == O_WRONLY ? mate
	                                                                                 : NULL;
}

/* A pipe of MPI or the launcher. */
static bool is_pipe_of_others(const struct agent *agent, const struct agent_file *file)
{
	for (size_t i = 0; i < agent->known_count; i++) {
		const struct agent_descriptor *known = &agent->known[i];

		if (!known->early && known->device == file->device && known->inode == file->inode)
			return true;
	}
	return false;
}

static void survey_pipe(struct agent *agent, const struct agent_file *file)
{
	if (!agent_pipe_mate(agent, file) || is_pipe_of_others(agent, file))
		agent_set_hazard(agent,
		                 "it has opened a pipe that it shares with others (descriptor %d)",
		                 file->fd);
	else if (!agent_pipe_is_empty(file->fd))
		agent_set_hazard(agent, "it has a pipe with data in it (descriptor %d)", file->fd);
	else if (file->flags & O_ASYNC)
		agent_set_hazard(agent, "it has a pipe that sends signals (descriptor %d, O_ASYNC)",
		                 file->fd);
}

static void survey_object(struct agent *agent, struct agent_file *file)
{
	if (agent_had_children())
		agent_set_hazard(agent,
		                 "it has opened a pipe or an eventfd, and started other processes "
		                 "(descriptor %d)",
		                 file->fd);
	if (file->kind == AGENT_PIPE)
		file->size = agent_pipe_room(file->fd);
	if (file->kind == AGENT_PIPE && file->shared_with < 0)
		survey_pipe(agent, file);
	if (file->kind == AGENT_EVENT && file->count == UINT64_MAX)
		agent_set_hazard(
			agent,
			"it has opened an eventfd whose value cannot be read (descriptor %d)",
			file->fd);
}

bool agent_is_by_itself(const struct agent *agent)
{
	for (size_t i = 0; i < agent->file_count; i++)
		if (agent->files[i].kind == AGENT_FILE)
			return false;
	return true;
}

/* --- the survey ------------------------------------------------------------------------------- */

static int survey_descriptor(struct agent *agent, int directory, int fd)
{
	struct agent_file *file = &agent->files[agent->file_count];
	char name[16], link[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (fstat(fd, &status) < 0)
		return 0;
	if (is_shared(agent, fd, &status)) {
		survey_shared(agent, fd, &status);
		return 0;
	}
	snprintf(name, sizeof(name), "%d", fd);
	length = readlinkat(directory, name, link, sizeof(link) - 1);
	if (length < 0)
		return 0;
	link[length] = '\0';
	*file = (struct agent_file){
		.fd = fd, .shared_with = -1, .device = status.st_dev, .inode = status.st_ino};
	if (!strcmp(link, AGENT_EPOLL_LINK)) {
		file->kind = AGENT_EPOLL;
	} else if (is_device(&status)) {
		file->kind = AGENT_DEVICE;
	} else if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
		if (!is_programs(agent, fd, &status))
			return 0;
		if (!find_object(link, &status, &file->kind)) {
			judge_descriptor(agent, fd, link, &status);
			return 0;
		}
	}
	if (read_info(agent, file, directory) < 0)
		return -1;
	if (S_ISREG(status.st_mode)) {
		file->mode = status.st_mode & 07777;
		if (survey_name(agent, file, link) < 0)
			return -1;
	}
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
	agent->descriptors = fds;
	agent->descriptor_count = (size_t)count;
	agent->files = agent_arena_take(&agent->arena, ((size_t)count + 1) * sizeof(*agent->files));
	agent->shared = agent_arena_take(&agent->arena,
	                                 ((size_t)count + 1) * sizeof(*agent->shared));
	if (!agent->files || !agent->shared)
		return -1;
	for (long i = 0; i < count; i++)
		if (survey_descriptor(agent, directory, fds[i]) < 0)
			return -1;
	for (size_t i = 0; i < agent->file_count; i++)
		if (agent->files[i].kind == AGENT_PIPE || agent->files[i].kind == AGENT_EVENT)
			survey_object(agent, &agent->files[i]);
	/* Closing another descriptor of a file would release the process's record locks on it. */
	for (size_t i = 0; i < agent->file_count && !agent->hazard[0]; i++)
		if (survey_contents(agent, &agent->files[i]) < 0)
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
