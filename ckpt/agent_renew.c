/* Independent descriptors for a restored child, and files as they were surveyed.
 *
 * A forked descriptor shares its offset with the parent's, and an epoll instance its whole interest
 * list. So regular files, directories and epoll instances are reopened with the same number.
 * /proc/self/fd/N opens the same file whatever its name is now.
 *
 * An interleaving may have renamed, removed or replaced a file. A renamed file is moved back. A
 * file without a name cannot get one again: the file at its path, or a new file, takes its place
 * with its contents, and its descriptors move there. Several ranks may do all this at once to one
 * file; each step has the same result, whichever rank is first. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent_journal.h"
#include "agent_rewind_internal.h"

bool agent_is_mapped(const struct agent *agent, const struct agent_file *file)
{
	for (size_t i = 0; i < agent->mapping_count; i++)
		if (agent->mappings[i].device == file->device
		    && agent->mappings[i].inode == file->inode)
			return true;
	return false;
}

static void descriptor_path(int fd, char path[static 64])
{
	snprintf(path, 64, "/proc/self/fd/%d", fd);
}

/* A raw call: the shim's open() would resolve the whole path. No other file is opened. */
int agent_open_again(int fd, int flags)
{
	char path[64];

	descriptor_path(fd, path);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags);
}

static bool is_at(int fd, const char *path)
{
	struct stat opened, named;

	return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev
	       && opened.st_ino == named.st_ino;
}

/* If a file still has a name, gives it the surveyed one. Failures are found later. */
static void put_name_back(const struct agent_file *file)
{
	char path[64], now[PATH_MAX];
	ssize_t length;

	if (is_at(file->fd, file->name))
		return;
	descriptor_path(file->fd, path);
	length = readlink(path, now, sizeof(now) - 1);
	if (length < 0)
		return;
	now[length] = '\0';
	if (is_at(file->fd, now))
		rename(now, file->name);
	else /* the name it was opened by is gone; it may have others */
		linkat(AT_FDCWD, path, AT_FDCWD, file->name, AT_SYMLINK_FOLLOW);
}

static int pwrite_all(int fd, const uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t put = pwrite(fd, bytes + done, size - done, (off_t)done);

		if (put < 0 && errno != EINTR)
			return -1;
		if (put > 0)
			done += (size_t)put;
	}
	return 0;
}

/* Whether an open file has exactly the contents that were surveyed. */
static bool holds(int fd, const struct agent_file *file)
{
	uint8_t part[4096];
	struct stat status;

	if (fstat(fd, &status) < 0 || (size_t)status.st_size != file->size)
		return false;
	for (size_t at = 0; at < file->size;) {
		size_t wanted = file->size - at < sizeof(part) ? file->size - at : sizeof(part);
		ssize_t got = pread(fd, part, wanted, (off_t)at);

		if (got <= 0 || memcmp(part, file->contents + at, (size_t)got))
			return false;
		at += (size_t)got;
	}
	return true;
}

/* Opens the file itself, or the file at its path, which is created if necessary. */
static int open_to_write(const struct agent_file *file, bool by_name)
{
	if (!by_name)
		return agent_open_again(file->fd, O_RDWR | O_CLOEXEC);
	return open(file->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

static int put_contents(int fd, const struct agent_file *file)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = EEXIST;
		return -1;
	}
	if ((status.st_mode & 07777) != file->mode && fchmod(fd, file->mode) < 0)
		return -1;
	if (holds(fd, file))
		return 0;
	return ftruncate(fd, 0) < 0 ? -1 : pwrite_all(fd, file->contents, file->size);
}

static int put_file_back(const struct agent_file *file)
{
	bool by_name = file->name && !is_at(file->fd, file->name);
	int fd = open_to_write(file, by_name), result, error;

	/* An interleaving may have left any mode. */
	if (fd < 0 && errno == EACCES
	    && (by_name ? chmod(file->name, file->mode) : fchmod(file->fd, file->mode)) == 0)
		fd = open_to_write(file, by_name);
	if (fd < 0)
		return -1;
	result = put_contents(fd, file);
	error = errno;
	close(fd);
	errno = error;
	return result;
}

static int put_all_back(const struct agent *agent)
{
	for (size_t i = 0; i < agent->file_count; i++)
		if (agent->files[i].kind == AGENT_FILE && agent->files[i].name)
			put_name_back(&agent->files[i]);
	for (size_t i = 0; i < agent->file_count; i++)
		if (agent->files[i].kind == AGENT_FILE && agent->files[i].has_contents
		    && put_file_back(&agent->files[i]) < 0)
			return -1;
	return 0;
}

/* The path that the descriptors must move to: the file's own path if another file had to take its
 * place. NULL: the file is where it was. */
static const char *new_place(const struct agent *agent, const struct agent_file *file)
{
	for (size_t i = 0; file->kind == AGENT_FILE && i < agent->file_count; i++) {
		const struct agent_file *put_back = &agent->files[i];

		if (put_back->has_contents && put_back->device == file->device
		    && put_back->inode == file->inode)
			return put_back->name && !is_at(file->fd, put_back->name) ? put_back->name
			                                                          : NULL;
	}
	return NULL;
}

/* Makes the file. A name that is there is a link to output that is kept elsewhere, which no other
 * rank opens. */
static int create_in_world(const char *name)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	int fd = openat(AGENT_WORLD_FD, name, flags | O_EXCL, 0600);

	return fd < 0 && errno == EEXIST ? openat(AGENT_WORLD_FD, name, flags, 0600) : fd;
}

/* Opens the file of this name in the new world. The first rank that opens it fills it, unless the
 * scheduler has. */
static int open_in_world(const struct agent_file *file, int flags)
{
	int fd = openat(AGENT_WORLD_FD, file->name, flags | (file->size ? 0 : O_CREAT), 0600);

	if (fd >= 0 || errno != ENOENT || !file->has_contents)
		return fd;
	fd = create_in_world(file->name);
	if (fd < 0)
		return -1;
	if (pwrite_all(fd, file->contents, file->size) < 0) {
		close(fd);
		return -1;
	}
	close(fd);
	return openat(AGENT_WORLD_FD, file->name, flags);
}

static int open_clone(const struct agent *agent, const struct agent_file *file,
                      const struct agent_clone *clones, size_t count, int flags)
{
	for (size_t i = 0; i < agent->mapping_count; i++) {
		const struct agent_mapping *mapping = &agent->mappings[i];

		if (mapping->device != file->device || mapping->inode != file->inode)
			continue;
		for (size_t j = 0; j < count; j++) {
			char name[32];

			if (clones[j].start != mapping->start)
				continue;
			snprintf(name, sizeof(name), "clone.%" PRIu32, clones[j].file);
			return openat(AGENT_WORLD_FD, name, flags);
		}
	}
	errno = ENOENT;
	return -1;
}

static int renew_epoll(const struct agent_file *file)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);

	for (size_t i = 0; fd >= 0 && i < file->watch_count; i++) {
		struct agent_watch watch = file->watches[i];

		/* A watched descriptor may have been closed while a copy of it is still open. */
		if (epoll_ctl(fd, EPOLL_CTL_ADD, watch.fd, &watch.event) < 0 && errno != EBADF
		    && errno != EEXIST) {
			close(fd);
			return -1;
		}
	}
	return fd;
}

/* Files of the world are not the program's, and are not recorded in the journal. */
static int open_of_world(const struct agent *agent, const struct agent_file *file,
                         const struct agent_clone *clones, size_t count, int flags)
{
	int fd;

	agent_journal_pause(true);
	fd = agent_is_mapped(agent, file) ? open_clone(agent, file, clones, count, flags)
	                                  : open_in_world(file, flags);
	agent_journal_pause(false);
	return fd;
}

static int renew_regular(const struct agent *agent, const struct agent_file *file,
                         const struct agent_clone *clones, size_t count)
{
	int once = O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW | O_TMPFILE; /* contains O_DIRECTORY */
	int flags = (file->flags & ~once) | O_CLOEXEC;
	const char *place = new_place(agent, file);
	int fd;

	if (file->flags & O_PATH)
		return fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	if (agent_is_mapped(agent, file) || file->kind == AGENT_WORLD_FILE)
		fd = open_of_world(agent, file, clones, count, flags);
	else if (place)
		fd = open(place, flags | O_NOFOLLOW);
	else
		fd = agent_open_again(file->fd, flags);
	if (fd >= 0 && file->offset && lseek(fd, file->offset, SEEK_SET) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int put_in_place(int fd, const struct agent_file *file)
{
	int result;

	if (fd < 0 || fd == file->fd)
		return fd;
	result = dup3(fd, file->fd, file->flags & O_CLOEXEC);
	close(fd);
	return result;
}

/* Renews both ends when called for the first one. */
static int renew_pipe(const struct agent *agent, const struct agent_file *file)
{
	const struct agent_file *mate = agent_pipe_mate(agent, file);
	const struct agent_end end = {file->fd, file->flags};
	struct agent_end other;

	if (!mate) {
		errno = EPIPE;
		return -1;
	}
	if (mate->fd < file->fd)
		return 0;
	other = (struct agent_end){mate->fd, mate->flags};
	return (file->flags & O_ACCMODE) == O_RDONLY ? agent_make_pipe(&end, &other, file->size)
	                                             : agent_make_pipe(&other, &end, file->size);
}

/* Copies of a descriptor come after it, so it is renewed already. */
static int renew_file(const struct agent *agent, const struct agent_file *file,
                      const struct agent_clone *clones, size_t count)
{
	if (file->shared_with >= 0)
		return put_in_place(fcntl(file->shared_with, F_DUPFD_CLOEXEC, 0), file);
	if (file->kind == AGENT_PIPE)
		return renew_pipe(agent, file);
	if (file->kind == AGENT_EVENT)
		return put_in_place(agent_make_event(file->count, file->semaphore, file->flags),
		                    file);
	return put_in_place(renew_regular(agent, file, clones, count), file);
}

int agent_put_files_back(const struct agent *agent)
{
	if (put_all_back(agent) < 0)
		return -1;
	for (size_t i = 0; i < agent->file_count; i++)
		if (new_place(agent, &agent->files[i])
		    && renew_file(agent, &agent->files[i], NULL, 0) < 0)
			return -1;
	return 0;
}

/* Descriptors that cannot be reopened get their flags back. A closed one was only the keeper's. */
static int put_flags_back(const struct agent_shared *one)
{
	int flags = fcntl(one->fd, F_GETFL);

	if (flags < 0 || (flags & AGENT_STATUS_FLAGS) == one->flags)
		return 0;
	return fcntl(one->fd, F_SETFL, one->flags);
}

int agent_renew_files(const struct agent *agent, const struct agent_clone *clones, size_t count)
{
	if (put_all_back(agent) < 0)
		return -1;
	for (size_t i = 0; i < agent->file_count; i++)
		if (agent->files[i].kind != AGENT_EPOLL
		    && renew_file(agent, &agent->files[i], clones, count) < 0)
			return -1;
	for (size_t i = 0; i < agent->file_count; i++) {
		const struct agent_file *file = &agent->files[i];

		if (file->kind == AGENT_EPOLL && put_in_place(renew_epoll(file), file) < 0)
			return -1;
	}
	for (size_t i = 0; i < agent->shared_count; i++)
		if (put_flags_back(&agent->shared[i]) < 0)
			return -1;
	return 0;
}

/* --- for an image: files must be as surveyed -------------------------------------------------- */

bool agent_holds_idle(const struct agent_file *file)
{
	int fd = agent_open_again(file->fd, O_RDONLY | O_CLOEXEC);
	bool same = fd >= 0 && holds(fd, file);

	if (fd >= 0)
		close(fd);
	return same;
}

static bool has_watch(const struct agent_file *file, const struct agent_watch *watch)
{
	for (size_t i = 0; i < file->watch_count; i++)
		if (file->watches[i].fd == watch->fd
		    && file->watches[i].event.events == watch->event.events
		    && file->watches[i].event.data.u64 == watch->event.data.u64)
			return true;
	return false;
}

/* Device and inode do not help: event counters, timers and the like have the same. */
static bool is_epoll(int fd)
{
	char path[64], link[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	return strcmp(link, AGENT_EPOLL_LINK) == 0;
}

static int compare_watches(struct agent *agent, const struct agent_file *file, const char *at)
{
	struct agent_watch watch;
	bool same = is_epoll(file->fd);
	size_t count = 0;

	for (; agent_next_watch(&at, &watch); count++)
		same &= has_watch(file, &watch);
	return same && count == file->watch_count
	               ? 0
	               : agent_refuse(agent, "it has changed what an epoll instance watches");
}

static int compare_event(struct agent *agent, const struct agent_file *file, const char *info)
{
	uint64_t count;
	bool semaphore;

	return agent_read_event(info, &count, &semaphore) && count == file->count
	                       && semaphore == file->semaphore
	               ? 0
	               : agent_refuse(agent, "it has used an eventfd");
}

/* Compares what only fdinfo shows: locks (there were none), the watches of an epoll instance, and
 * the value of an eventfd. */
static int compare_info(struct agent *agent, const struct agent_file *file)
{
	const char *info = agent->private_stack->text;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", file->fd);
	if (agent_read_proc(agent, path, agent->private_stack->text) < 0)
		return -1;
	if (strstr(info, "lock:"))
		return agent_refuse(agent, "it holds a lock on an open file");
	if (file->kind == AGENT_EVENT)
		return compare_event(agent, file, info);
	return file->kind == AGENT_EPOLL ? compare_watches(agent, file, info) : 0;
}

/* Whether it is open at all is checked elsewhere. */
static int compare_flags(struct agent *agent, int fd, int then)
{
	int now = fcntl(fd, F_GETFL);

	return now < 0 || ((now ^ then) & AGENT_STATUS_FLAGS) == 0
	               ? 0
	               : agent_refuse(agent, "it has changed a file's status flags (F_SETFL)");
}

static bool is_of_world(const struct agent *agent, const struct agent_file *file)
{
	return file->kind == AGENT_WORLD_FILE && !(file->flags & O_PATH)
	       && !agent_is_mapped(agent, file);
}

static int compare_file(struct agent *agent, const struct agent_file *file)
{
	const struct agent_held *held;

	if (file->kind == AGENT_EPOLL)
		return 0;
	if (compare_flags(agent, file->fd, file->flags) < 0)
		return -1;
	if (file->kind == AGENT_EVENT || is_of_world(agent, file))
		return 0;
	if (file->kind == AGENT_PIPE)
		return agent_pipe_room(file->fd) == file->size && agent_pipe_is_empty(file->fd)
		               ? 0
		               : agent_refuse(agent, "it has written into a pipe");
	held = agent_find_held(&agent->private_stack->kernel_now, file->fd);
	if (!held || (!(file->flags & O_PATH) && lseek(file->fd, 0, SEEK_CUR) != file->offset)
	    || (file->has_contents
	        && ((uint64_t)held->size != file->size
	            || (file->size > 0 && !agent_holds_idle(file)))))
		return agent_refuse(agent, "it has read or written files");
	return 0;
}

int agent_compare_files(struct agent *agent)
{
	/* First, because reading a file releases the process's record locks on it. */
	for (size_t i = 0; i < agent->file_count; i++)
		if (compare_info(agent, &agent->files[i]) < 0)
			return -1;
	for (size_t i = 0; i < agent->shared_count; i++)
		if (compare_flags(agent, agent->shared[i].fd, agent->shared[i].flags) < 0)
			return -1;
	for (size_t i = 0; i < agent->file_count; i++)
		if (compare_file(agent, &agent->files[i]) < 0)
			return -1;
	return 0;
}

int agent_note_offsets(struct agent *agent, struct agent_image *image)
{
	image->offset_count = 0;
	for (size_t i = 0; i < agent->file_count; i++) {
		const int fd = agent->files[i].fd;

		if (!is_of_world(agent, &agent->files[i]))
			continue;
		if (image->offset_count == AGENT_OFFSETS_MAX)
			return agent_refuse(agent, "it has too many files of its world open");
		image->offsets[image->offset_count++] = (struct agent_offset){
			fd, lseek(fd, 0, SEEK_CUR)};
	}
	return 0;
}
