/* One path of the journal: storing and restoring its state. agent_journal_note.c records paths. */
#define _GNU_SOURCE
#include "agent_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_MAX (PATH_MAX + 512)

/* FNV-1a twice with different initial values: 128 bits, so that different paths have different
 * keys. */
void agent_journal_key(const char *path, char key[static AGENT_JOURNAL_KEY_SIZE])
{
	uint64_t one = 0xcbf29ce484222325u, other = 0x9ae16a3b2f90404fu;

	for (const char *at = path; *at; at++) {
		one = (one ^ (uint8_t)*at) * 0x100000001b3u;
		other = (other ^ (uint8_t)*at) * 0x100000001b3u;
		other ^= other >> 29;
	}
	snprintf(key, AGENT_JOURNAL_KEY_SIZE, "%016" PRIx64 "%016" PRIx64, one, other);
}

static void data_name(const char *key, char name[static AGENT_JOURNAL_KEY_SIZE + 8])
{
	snprintf(name, AGENT_JOURNAL_KEY_SIZE + 8, "%s.data", key);
}

static int copy_by_hand(int from, int to)
{
	char part[65536];

	for (;;) {
		ssize_t got = read(from, part, sizeof(part));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return (int)got;
		for (ssize_t done = 0, put; done < got; done += put) {
			put = write(to, part + done, (size_t)(got - done));
			if (put < 0 && errno == EINTR)
				put = 0;
			if (put < 0)
				return -1;
		}
	}
}

int agent_journal_copy(int from, int to, uint64_t most)
{
	struct stat status;
	ssize_t put;

	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	if (fstat(from, &status) < 0)
		return -1;
	if ((uint64_t)status.st_size > most) {
		errno = EFBIG;
		return -1;
	}
	do
		put = copy_file_range(from, NULL, to, NULL, (size_t)1 << 30, 0);
	while (put > 0 || (put < 0 && errno == EINTR));
	/* Some file systems do not support it, and some return 0 for files whose size they do not
	 * know. */
	return copy_by_hand(from, to);
}

/* --- storing ---------------------------------------------------------------------------------- */

static int write_record(int directory, const char *key, const struct agent_journal_state *state)
{
	char text[RECORD_MAX], name[AGENT_JOURNAL_KEY_SIZE + 8];
	int length = snprintf(text, sizeof(text),
	                      "%d %o %" PRIu64 " %" PRIu64 " %" PRIu64
	                      " %lld.%ld %lld.%ld %lld.%ld %lld.%ld\n%s\n%s",
	                      (int)state->kind, (unsigned)state->mode, state->size, state->device,
	                      state->inode, (long long)state->modified.tv_sec,
	                      state->modified.tv_nsec, (long long)state->changed.tv_sec,
	                      state->changed.tv_nsec, (long long)state->captured.tv_sec,
	                      state->captured.tv_nsec, (long long)state->born.tv_sec,
	                      state->born.tv_nsec, state->reason, state->path);
	int fd, result;

	/* Either the whole record exists or none. */
	snprintf(name, sizeof(name), "%s.part", key);
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	result = write(fd, text, (size_t)length) == length ? 0 : -1;
	close(fd);
	return result < 0 ? -1 : renameat(directory, name, directory, key);
}

static int keep_contents(int directory, const char *data, const struct agent_journal_state *state)
{
	int from = open(state->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int to = from < 0 ? -1
	                  : openat(directory, data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int result = to < 0 ? -1 : agent_journal_copy(from, to, AGENT_JOURNAL_FILE_MAX);
	int error = errno;

	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	if (result < 0)
		unlinkat(directory, data, 0);
	errno = error;
	return result;
}

static int keep_target(int directory, const char *data, const struct agent_journal_state *state)
{
	char target[PATH_MAX];
	ssize_t length = readlink(state->path, target, sizeof(target) - 1);

	if (length < 0)
		return -1;
	target[length] = '\0';
	unlinkat(directory, data, 0);
	return symlinkat(target, directory, data);
}

static void lose(struct agent_journal_state *state, const char *reason)
{
	state->kind = AGENT_JOURNAL_LOST;
	snprintf(state->reason, sizeof(state->reason), "%s", reason);
}

static void keep_data(int directory, const char *key, struct agent_journal_state *state)
{
	char data[AGENT_JOURNAL_KEY_SIZE + 8];
	int result = 0;

	data_name(key, data);
	if (S_ISREG(state->mode)) {
		state->kind = AGENT_JOURNAL_FILE;
		result = keep_contents(directory, data, state);
	} else if (S_ISLNK(state->mode)) {
		state->kind = AGENT_JOURNAL_LINK;
		result = keep_target(directory, data, state);
	} else if (S_ISDIR(state->mode)) {
		state->kind = AGENT_JOURNAL_DIRECTORY;
	} else {
		lose(state, "it is neither a file nor a directory");
	}
	if (result < 0)
		lose(state, errno == EFBIG    ? "it is larger than 256 MB"
		            : errno == ENOSPC ? "there is no room for a copy"
		            : errno == EACCES ? "it cannot be read"
		                              : "it cannot be copied");
}

static bool same_time(const struct timespec *one, const struct timespec *other)
{
	return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

static struct timespec birth_of(const char *path)
{
	struct statx status;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) < 0
	    || !(status.stx_mask & STATX_BTIME))
		return (struct timespec){0};
	return (struct timespec){status.stx_btime.tv_sec, status.stx_btime.tv_nsec};
}

bool agent_journal_is_at(const struct agent_journal_state *state, const char *path)
{
	struct timespec born = birth_of(path);
	struct stat now;

	return state->born.tv_sec && lstat(path, &now) == 0 && S_ISREG(now.st_mode)
	       && now.st_dev == state->device && now.st_ino == state->inode
	       && same_time(&born, &state->born);
}

int agent_journal_capture(int directory, const char *key, const char *path, bool absent)
{
	struct agent_journal_state state = {.kind = AGENT_JOURNAL_ABSENT};
	struct stat status;

	if (strlen(path) >= sizeof(state.path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(state.path, path, strlen(path) + 1);
	clock_gettime(CLOCK_REALTIME_COARSE, &state.captured);
	if (!absent && lstat(path, &status) == 0) {
		state.mode = status.st_mode;
		state.size = (uint64_t)status.st_size;
		state.device = status.st_dev;
		state.inode = status.st_ino;
		state.modified = status.st_mtim;
		state.changed = status.st_ctim;
		state.born = birth_of(path);
		keep_data(directory, key, &state);
	}
	return write_record(directory, key, &state);
}

static int parse_record(char *text, struct agent_journal_state *ret_state)
{
	struct agent_journal_state *state = ret_state;
	long long modified, changed, captured, born;
	char *reason = strchr(text, '\n'), *path = reason ? strchr(reason + 1, '\n') : NULL;
	unsigned mode;
	int kind;

	errno = EIO;
	if (!path)
		return -1;
	*reason++ = '\0';
	*path++ = '\0';
	if (sscanf(text,
	           "%d %o %" SCNu64 " %" SCNu64 " %" SCNu64 " %lld.%ld %lld.%ld %lld.%ld %lld.%ld",
	           &kind, &mode, &state->size, &state->device, &state->inode, &modified,
	           &state->modified.tv_nsec, &changed, &state->changed.tv_nsec, &captured,
	           &state->captured.tv_nsec, &born, &state->born.tv_nsec)
	            != 13
	    || kind < AGENT_JOURNAL_ABSENT || kind > AGENT_JOURNAL_LOST || *path != '/'
	    || strlen(path) >= sizeof(state->path) || strlen(reason) >= sizeof(state->reason))
		return -1;
	state->kind = (enum agent_journal_kind)kind;
	state->mode = mode;
	state->modified.tv_sec = modified;
	state->changed.tv_sec = changed;
	state->captured.tv_sec = captured;
	state->born.tv_sec = born;
	memcpy(state->reason, reason, strlen(reason) + 1);
	memcpy(state->path, path, strlen(path) + 1);
	return 0;
}

int agent_journal_read(int directory, const char *key, struct agent_journal_state *ret_state)
{
	char text[RECORD_MAX];
	int fd = openat(directory, key, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	if (length < 0)
		return -1;
	text[length] = '\0';
	return parse_record(text, ret_state);
}

/* --- restoring -------------------------------------------------------------------------------- */

int agent_journal_remove(const char *path)
{
	if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
		return 0;
	return errno == EISDIR || errno == EPERM ? rmdir(path) : -1;
}

/* Whether the file is certainly unchanged. Its times alone do not prove it: the file system's clock
 * ticks every few milliseconds. */
static bool untouched(const struct stat *now, const struct agent_journal_state *state)
{
	return now->st_mode == state->mode && (uint64_t)now->st_size == state->size
	       && same_time(&now->st_ctim, &state->changed)
	       && state->changed.tv_sec + 1 < state->captured.tv_sec;
}

static bool same_contents(int one, int other)
{
	char here[16384], there[16384];
	off_t at = 0;

	for (;;) {
		ssize_t got = pread(one, here, sizeof(here), at);

		if (got < 0 || pread(other, there, sizeof(there), at) != got
		    || memcmp(here, there, (size_t)got))
			return false;
		if (got == 0)
			return true;
		at += got;
	}
}

static int put_contents(int to, int from, const struct agent_journal_state *state)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, state->modified};
	struct stat now;

	if (!same_contents(to, from)
	    && (ftruncate(to, 0) < 0 || agent_journal_copy(from, to, UINT64_MAX) < 0))
		return -1;
	if (fstat(to, &now) < 0 || (now.st_mode != state->mode && fchmod(to, state->mode) < 0))
		return -1;
	return same_time(&now.st_mtim, &state->modified) ? 0 : futimens(to, times);
}

static int open_to_write(const struct agent_journal_state *state, bool same)
{
	int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (same ? 0 : O_CREAT | O_EXCL);
	int fd = open(state->path, flags, 0600);

	if (fd < 0 && same && errno == EACCES && chmod(state->path, 0600) == 0)
		fd = open(state->path, flags, 0600);
	return fd;
}

static int put_file(int directory, const char *key, const struct agent_journal_state *state)
{
	char data[AGENT_JOURNAL_KEY_SIZE + 8];
	struct stat now;
	bool same = lstat(state->path, &now) == 0 && now.st_dev == state->device
	            && now.st_ino == state->inode;
	int from, to, result, error;

	if (same && untouched(&now, state))
		return 0;
	/* The path may lead to another file now; a file that was restored earlier counts as the
	 * same. */
	same = same || (lstat(state->path, &now) == 0 && S_ISREG(now.st_mode) && now.st_nlink == 1);
	if (!same && agent_journal_remove(state->path) < 0)
		return -1;
	data_name(key, data);
	from = openat(directory, data, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return -1;
	to = open_to_write(state, same);
	result = to < 0 ? -1 : put_contents(to, from, state);
	error = errno;
	close(from);
	if (to >= 0)
		close(to);
	errno = error;
	return result;
}

static int put_directory(const struct agent_journal_state *state)
{
	struct stat now;
	bool there = lstat(state->path, &now) == 0;

	if (!there || !S_ISDIR(now.st_mode)) {
		if (agent_journal_remove(state->path) < 0 || mkdir(state->path, 0700) < 0)
			return -1;
		now.st_mode = 0;
	}
	return now.st_mode == state->mode ? 0 : chmod(state->path, state->mode & 07777);
}

static int put_link(int directory, const char *key, const struct agent_journal_state *state)
{
	char data[AGENT_JOURNAL_KEY_SIZE + 8], wanted[PATH_MAX], found[PATH_MAX];
	ssize_t length, there;

	data_name(key, data);
	length = readlinkat(directory, data, wanted, sizeof(wanted) - 1);
	if (length < 0)
		return -1;
	wanted[length] = '\0';
	there = readlink(state->path, found, sizeof(found));
	if (there == length && !memcmp(found, wanted, (size_t)length))
		return 0;
	return agent_journal_remove(state->path) < 0 ? -1 : symlink(wanted, state->path);
}

/* A path that was not kept may still be unchanged. */
static int check_lost(const struct agent_journal_state *state)
{
	struct stat now;

	if (lstat(state->path, &now) == 0 && now.st_dev == state->device
	    && now.st_ino == state->inode && now.st_mode == state->mode
	    && (!S_ISREG(now.st_mode)
	        || (same_time(&now.st_mtim, &state->modified)
	            && (uint64_t)now.st_size == state->size)))
		return 0;
	errno = ENODATA;
	return -1;
}

int agent_journal_apply(int directory, const char *key, const struct agent_journal_state *state)
{
	switch (state->kind) {
	case AGENT_JOURNAL_ABSENT: return agent_journal_remove(state->path);
	case AGENT_JOURNAL_FILE: return put_file(directory, key, state);
	case AGENT_JOURNAL_DIRECTORY: return put_directory(state);
	case AGENT_JOURNAL_LINK: return put_link(directory, key, state);
	case AGENT_JOURNAL_LOST: break;
	}
	return check_lost(state);
}
