/* Records in the journal what a program is about to change. For a path that is recorded already
 * this costs its resolution and one look-up in now/. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent_journal.h"

#define LINKS_MAX 40
#define ENTRIES_MAX 20000 /* entries below a directory that is renamed */

static struct {
	char directory[PATH_MAX]; /* empty: nothing is recorded */
	char excluded[PATH_MAX], also_excluded[PATH_MAX];
	long entries; /* entries of the tree being recorded so far */
	uint64_t noted;
	bool paused;
} journal;

static bool set_path(char path[static PATH_MAX], const char *value)
{
	size_t length = value ? strlen(value) : 0;

	if (length >= PATH_MAX - 64)
		length = 0;
	memcpy(path, value ? value : "", length);
	path[length] = '\0';
	return length > 0;
}

void agent_journal_open(const char *directory, const char *excluded)
{
	set_path(journal.excluded, excluded);
	set_path(journal.directory, directory);
}

void agent_journal_exclude(const char *directory)
{
	set_path(journal.also_excluded, directory);
}

uint64_t agent_journal_noted(void)
{
	return journal.noted;
}

bool agent_journal_is_open(void)
{
	return journal.directory[0] != '\0';
}

void agent_journal_pause(bool paused)
{
	journal.paused = paused;
}

static bool is_noting(void)
{
	return agent_journal_is_open() && !journal.paused;
}

/* --- resolving paths -------------------------------------------------------------------------- */

static bool join(char out[static PATH_MAX], const char *directory, const char *name)
{
	bool root = !strcmp(directory, "/");
	int length = snprintf(out, PATH_MAX, "%s/%s", root ? "" : directory, name);

	return length > 0 && length < PATH_MAX;
}

static bool make_absolute(int at, const char *path, char out[static PATH_MAX])
{
	char directory[PATH_MAX], link[64];
	ssize_t length;

	if (*path == '/')
		return set_path(out, path);
	if (at == AT_FDCWD)
		return getcwd(directory, sizeof(directory)) && join(out, directory, path);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	length = readlink(link, directory, sizeof(directory) - 1);
	if (length <= 0)
		return false;
	directory[length] = '\0';
	return join(out, directory, path);
}

/* Resolves the directory and leaves the last name as it is. */
static bool resolve_parent(char path[static PATH_MAX], char out[static PATH_MAX])
{
	char directory[PATH_MAX], *name;
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		path[--length] = '\0';
	name = strrchr(path, '/') + 1;
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return realpath(path, out) != NULL;
	*(name - 1) = '\0';
	if (!realpath(*path ? path : "/", directory))
		return false;
	return join(out, directory, name);
}

/* Follows symbolic links to a path that does not exist: that path would be created. */
static bool follow_link(char path[static PATH_MAX])
{
	char target[PATH_MAX], directory[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length <= 0)
		return false;
	target[length] = '\0';
	if (*target == '/')
		return set_path(path, target);
	memcpy(directory, path, PATH_MAX);
	*strrchr(directory, '/') = '\0';
	return join(path, *directory ? directory : "/", target);
}

/* False: there is no such place, and the program's call will fail. */
static bool resolve(int at, const char *path, bool follow, char out[static PATH_MAX])
{
	char full[PATH_MAX];

	if (!*path || !make_absolute(at, path, full))
		return false;
	if (follow && realpath(full, out))
		return true;
	for (int links = 0; links < LINKS_MAX; links++) {
		if (!resolve_parent(full, out))
			return false;
		memcpy(full, out, strlen(out) + 1);
		if (!follow || !follow_link(full))
			return true;
	}
	return false;
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return length && !strncmp(path, directory, length)
	       && (path[length] == '/' || !path[length]);
}

static bool is_of_interest(const char *path)
{
	return !is_below(path, "/proc") && !is_below(path, "/sys") && !is_below(path, "/dev")
	       && !is_below(path, journal.directory) && !is_below(path, journal.excluded)
	       && !is_below(path, journal.also_excluded);
}

/* --- recording -------------------------------------------------------------------------------- */

static int open_below(const char *name, int flags)
{
	char path[PATH_MAX];

	return join(path, journal.directory, name) ? open(path, flags | O_CLOEXEC, 0600) : -1;
}

static bool keep(int base, int now, const char *key, const char *path, bool made)
{
	bool kept = faccessat(base, key, F_OK, 0) == 0
	            || agent_journal_capture(base, key, path, made) == 0;
	int mark = openat(now, key, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (mark >= 0)
		close(mark);
	return kept && mark >= 0;
}

/* The first such path is enough: not everything can be restored. */
static void write_trouble(const char *path)
{
	int file = open_below(AGENT_JOURNAL_TROUBLE, O_RDWR);
	size_t length = strlen(path);
	char text[PATH_MAX + 1], first;

	if (file >= 0 && pread(file, &first, 1, 0) == 1 && first == ' ' && length < PATH_MAX) {
		memcpy(text, path, length);
		text[length] = '\n';
		if (pwrite(file, text, length + 1, 0) < 0)
			first = ' '; /* nothing else can be done */
	}
	if (file >= 0)
		close(file);
}

static void note_locked(const char *key, const char *path, bool made)
{
	int base = open_below(AGENT_JOURNAL_BASE, O_RDONLY | O_DIRECTORY);
	int now = open_below(AGENT_JOURNAL_NOW, O_RDONLY | O_DIRECTORY);

	if (base < 0 || now < 0 || !keep(base, now, key, path, made))
		write_trouble(path);
	if (base >= 0)
		close(base);
	if (now >= 0)
		close(now);
}

static void note_resolved(const char *path, bool made)
{
	char key[AGENT_JOURNAL_KEY_SIZE], name[AGENT_JOURNAL_KEY_SIZE + 8], marker[PATH_MAX];
	int lock;

	if (!is_of_interest(path))
		return;
	journal.noted++;
	agent_journal_key(path, key);
	snprintf(name, sizeof(name), AGENT_JOURNAL_NOW "/%s", key);
	if (!join(marker, journal.directory, name) || access(marker, F_OK) == 0)
		return;
	/* One rank records the path, and no other rank continues before that is done. */
	lock = open_below(AGENT_JOURNAL_LOCK, O_RDWR | O_CREAT);
	if (lock < 0)
		return;
	while (flock(lock, LOCK_EX) < 0 && errno == EINTR)
		;
	if (access(marker, F_OK) < 0)
		note_locked(key, path, made);
	flock(lock, LOCK_UN);
	close(lock);
}

void agent_journal_note(int at, const char *path, bool follow)
{
	int error = errno;
	char resolved[PATH_MAX];

	if (is_noting() && path && resolve(at, path, follow, resolved))
		note_resolved(resolved, false);
	errno = error;
}

void agent_journal_note_made(int at, const char *path)
{
	int error = errno;
	char resolved[PATH_MAX];

	if (is_noting() && path && resolve(at, path, false, resolved))
		note_resolved(resolved, true);
	errno = error;
}

/* Everything below a directory, and the paths it will have. */
static void note_tree(const char *from, const char *to)
{
	char source[PATH_MAX], target[PATH_MAX];
	DIR *directory = opendir(from);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)) && journal.entries++ < ENTRIES_MAX) {
		struct stat status;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")
		    || !join(source, from, entry->d_name) || !join(target, to, entry->d_name))
			continue;
		note_resolved(source, false);
		note_resolved(target, false);
		if (lstat(source, &status) == 0 && S_ISDIR(status.st_mode))
			note_tree(source, target);
	}
	if (directory)
		closedir(directory);
}

void agent_journal_note_rename(int from_at, const char *from, int to_at, const char *to)
{
	int error = errno;
	char source[PATH_MAX], target[PATH_MAX];
	struct stat status;

	if (is_noting() && from && to && resolve(from_at, from, false, source)
	    && resolve(to_at, to, false, target)) {
		note_resolved(source, false);
		note_resolved(target, false);
		journal.entries = 0;
		if (lstat(source, &status) == 0 && S_ISDIR(status.st_mode) && is_of_interest(source)
		    && is_of_interest(target))
			note_tree(source, target);
	}
	errno = error;
}
