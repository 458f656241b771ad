/* What a journal knows of the files that ranks change: which they are, and what they contain. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal_internal.h"

#define LARGE "(too large)\n"

static gint by_name(gconstpointer left, gconstpointer right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static int open_below(const struct journal *journal, const char *name)
{
	g_autofree char *path = g_build_filename(journal->path, name, NULL);

	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

GPtrArray *journal_changed(const struct journal *journal)
{
	g_autofree char *now = g_build_filename(journal->path, AGENT_JOURNAL_NOW, NULL);
	g_autoptr(GDir) directory = g_dir_open(now, 0, NULL);
	const char *key = directory ? g_dir_read_name(directory) : NULL;
	struct agent_journal_state state;
	GPtrArray *paths;
	int base;

	if (!key)
		return NULL;
	paths = g_ptr_array_new_with_free_func(g_free);
	base = open_below(journal, AGENT_JOURNAL_BASE);
	for (; base >= 0 && key; key = g_dir_read_name(directory))
		if (agent_journal_read(base, key, &state) == 0)
			g_ptr_array_add(paths, g_strdup(state.path));
	if (base >= 0)
		close(base);
	g_ptr_array_sort(paths, by_name);
	return paths;
}

static GBytes *in_words(const char *words)
{
	return g_bytes_new_take(g_strdup(words), strlen(words));
}

static GBytes *link_to(int directory, const char *name)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(directory, name, target, sizeof(target) - 1);
	g_autofree char *words = NULL;

	target[MAX(length, 0)] = '\0';
	words = g_strdup_printf("(a symbolic link to %s)\n", target);
	return in_words(words);
}

static GBytes *unreadable(void)
{
	g_autofree char *words = g_strdup_printf("(cannot be read: %s)\n", g_strerror(errno));

	return in_words(words);
}

static GBytes *bytes_of(int file, guint64 size)
{
	char *bytes = g_malloc(size + 1);
	guint64 done = 0;
	ssize_t got = 1;

	while (done < size && got > 0) {
		got = read(file, bytes + done, size - done);
		if (got > 0)
			done += (guint64)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	if (got >= 0)
		return g_bytes_new_take(bytes, done);
	g_free(bytes);
	return unreadable();
}

static GBytes *read_file(int directory, const char *name, guint64 most)
{
	int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	GBytes *bytes;

	if (file < 0 || fstat(file, &status) < 0)
		bytes = unreadable();
	else if ((guint64)status.st_size > most)
		bytes = in_words(LARGE);
	else
		bytes = bytes_of(file, (guint64)status.st_size);
	if (file >= 0)
		close(file);
	return bytes;
}

GBytes *journal_contents_now(const char *path, guint64 most)
{
	struct stat status;

	if (lstat(path, &status) < 0)
		return NULL;
	if (S_ISREG(status.st_mode))
		return read_file(AT_FDCWD, path, most);
	if (S_ISLNK(status.st_mode))
		return link_to(AT_FDCWD, path);
	return in_words(S_ISDIR(status.st_mode) ? "(a directory)\n" : "(not a file)\n");
}

static GBytes *contents_kept(int base, const char *key, const struct agent_journal_state *state,
                             guint64 most)
{
	g_autofree char *data = g_strdup_printf("%s.data", key);

	switch (state->kind) {
	case AGENT_JOURNAL_ABSENT: return NULL;
	case AGENT_JOURNAL_FILE: return read_file(base, data, most);
	case AGENT_JOURNAL_DIRECTORY: return in_words("(a directory)\n");
	case AGENT_JOURNAL_LINK: return link_to(base, data);
	case AGENT_JOURNAL_LOST: break;
	}
	if (S_ISREG(state->mode) && state->size > most)
		return in_words(LARGE);
	return in_words(S_ISREG(state->mode) ? "(not known)\n" : "(not a file)\n");
}

GBytes *journal_contents_first(const struct journal *journal, const char *path, guint64 most)
{
	char key[AGENT_JOURNAL_KEY_SIZE];
	struct agent_journal_state state;
	int base = open_below(journal, AGENT_JOURNAL_BASE);
	GBytes *contents = NULL;

	agent_journal_key(path, key);
	if (base >= 0 && agent_journal_read(base, key, &state) == 0)
		contents = contents_kept(base, key, &state, most);
	if (base >= 0)
		close(base);
	return contents;
}
