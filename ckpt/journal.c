#define _GNU_SOURCE
#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent_journal.h"
#include "journal_internal.h"
#include "remove_tree.h"

struct journal_state {
	char *directory;
	GHashTable *keys; /* char * */
};

static bool failed(GError **error, const char *what, const char *path)
{
	g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno), "%s %s: %s", what,
	            path, g_strerror(errno));
	return false;
}

static char *below(const struct journal *journal, const char *name)
{
	return g_build_filename(journal->path, name, NULL);
}

static int open_directory(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

struct journal *journal_of(char *path)
{
	struct journal *journal = g_new0(struct journal, 1);

	journal->path = path;
	journal->reported = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	journal->problems = g_ptr_array_new_with_free_func(g_free);
	journal->owner = journal->trouble = -1;
	return journal;
}

void journal_forget(struct journal *journal)
{
	if (journal->owner >= 0)
		close(journal->owner);
	if (journal->trouble >= 0)
		close(journal->trouble);
	g_hash_table_destroy(journal->reported);
	g_ptr_array_unref(journal->problems);
	g_free(journal->path);
	g_free(journal);
}

/* Reserves the space that ranks need even when the file system is full. */
static bool reserve(const struct journal *journal)
{
	g_autofree char *lock = below(journal, AGENT_JOURNAL_LOCK);
	g_autofree char *trouble = below(journal, AGENT_JOURNAL_TROUBLE);
	g_autofree char *blank = g_strnfill(AGENT_JOURNAL_TROUBLE_SIZE, ' ');

	return g_file_set_contents(lock, "", 0, NULL)
	       && g_file_set_contents(trouble, blank, AGENT_JOURNAL_TROUBLE_SIZE, NULL);
}

struct journal *journal_new(const char *parent, GError **error)
{
	g_autofree char *here = g_canonicalize_filename(parent, NULL);
	struct journal *journal = journal_of(
		g_strdup_printf("%s/" JOURNAL_PREFIX "%d-XXXXXX", here, (int)getpid()));
	g_autofree char *base = NULL, *now = NULL;

	if (g_mkdtemp_full(journal->path, 0700)) {
		base = below(journal, AGENT_JOURNAL_BASE);
		now = below(journal, AGENT_JOURNAL_NOW);
		if (journal_own(journal) && g_mkdir(base, 0700) == 0 && g_mkdir(now, 0700) == 0
		    && reserve(journal))
			return journal;
		failed(error, "cannot write in", journal->path);
		remove_tree(journal->path);
	} else {
		failed(error, "cannot make a directory in", here);
	}
	journal_forget(journal);
	return NULL;
}

void journal_free(struct journal *journal)
{
	if (!journal)
		return;
	if (journal->shared)
		journal_put_back_all(journal, NULL, NULL);
	else
		journal_put_back(journal, NULL);
	remove_tree(journal->path);
	journal_forget(journal);
}

void journal_share(struct journal *journal)
{
	journal->shared = true;
}

const char *journal_path(const struct journal *journal)
{
	return journal->path;
}

const GPtrArray *journal_problems(const struct journal *journal)
{
	return journal->problems;
}

bool journal_is_empty(const struct journal *journal)
{
	g_autofree char *base = below(journal, AGENT_JOURNAL_BASE);
	g_autoptr(GDir) directory = g_dir_open(base, 0, NULL);

	return !directory || !g_dir_read_name(directory);
}

/* The keys of all paths recorded since the files were restored. */
static GHashTable *noted(const struct journal *journal)
{
	GHashTable *keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree char *now = below(journal, AGENT_JOURNAL_NOW);
	g_autoptr(GDir) directory = g_dir_open(now, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory)))
		g_hash_table_add(keys, g_strdup(name));
	return keys;
}

/* --- states ----------------------------------------------------------------------------------- */

static bool save_key(int base, int to, const char *key, guint64 *room)
{
	struct agent_journal_state state;
	struct stat status;

	if (agent_journal_read(base, key, &state) < 0)
		return false;
	if (lstat(state.path, &status) == 0 && S_ISREG(status.st_mode)) {
		if ((guint64)status.st_size > *room) {
			errno = EFBIG;
			return false;
		}
		*room -= (guint64)status.st_size;
	}
	return agent_journal_capture(to, key, state.path, false) == 0;
}

struct journal_state *journal_save(struct journal *journal, GError **error)
{
	struct journal_state *state = g_new0(struct journal_state, 1);
	g_autofree char *base_path = below(journal, AGENT_JOURNAL_BASE);
	guint64 room = JOURNAL_STATE_MAX;
	int base = -1, to = -1;
	GHashTableIter iterator;
	gpointer key;
	bool good;

	state->keys = noted(journal);
	if (g_hash_table_size(state->keys) == 0)
		return state;
	state->directory = g_strdup_printf("%s/s%u", journal->path, journal->states++);
	good = g_mkdir(state->directory, 0700) == 0 && (base = open_directory(base_path)) >= 0
	       && (to = open_directory(state->directory)) >= 0;
	g_hash_table_iter_init(&iterator, state->keys);
	while (good && g_hash_table_iter_next(&iterator, &key, NULL))
		good = save_key(base, to, key, &room);
	if (!good)
		g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno),
		            "the files it has written cannot be copied: %s", g_strerror(errno));
	if (base >= 0)
		close(base);
	if (to >= 0)
		close(to);
	if (good)
		return state;
	journal_state_free(state);
	return NULL;
}

void journal_state_free(struct journal_state *state)
{
	if (!state)
		return;
	if (state->directory)
		remove_tree(state->directory);
	g_free(state->directory);
	g_hash_table_destroy(state->keys);
	g_free(state);
}

/* --- restoring -------------------------------------------------------------------------------- */

/* A path and its wanted state. */
struct target {
	char *key;
	int directory;
	struct agent_journal_state wanted;
};

static void target_free(gpointer pointer)
{
	struct target *target = pointer;

	g_free(target->key);
	g_free(target);
}

static void add_target(GPtrArray *targets, int directory, const char *key)
{
	struct target *target = g_new0(struct target, 1);

	target->key = g_strdup(key);
	target->directory = directory;
	if (agent_journal_read(directory, key, &target->wanted) == 0)
		g_ptr_array_add(targets, target);
	else /* it could not be recorded: see report_trouble */
		target_free(target);
}

static gint by_path(gconstpointer left, gconstpointer right)
{
	const struct target *one = *(struct target *const *)left;
	const struct target *other = *(struct target *const *)right;

	return strcmp(one->wanted.path, other->wanted.path);
}

static GPtrArray *targets_of(GHashTable *now, int base, const struct journal_state *state,
                             int saved)
{
	GPtrArray *targets = g_ptr_array_new_with_free_func(target_free);
	GHashTableIter iterator;
	gpointer key;

	g_hash_table_iter_init(&iterator, now);
	while (g_hash_table_iter_next(&iterator, &key, NULL))
		if (!state || !g_hash_table_contains(state->keys, key))
			add_target(targets, base, key);
	if (state) {
		g_hash_table_iter_init(&iterator, state->keys);
		while (g_hash_table_iter_next(&iterator, &key, NULL))
			add_target(targets, saved, key);
	}
	g_ptr_array_sort(targets, by_path);
	return targets;
}

/* Renames a file back if it was only renamed, so that processes that have it open keep the same
 * file. */
static void rename_back(const GPtrArray *targets)
{
	for (guint i = 0; i < targets->len; i++) {
		const struct agent_journal_state *file =
			&((struct target *)targets->pdata[i])->wanted;

		if (file->kind != AGENT_JOURNAL_FILE || agent_journal_is_at(file, file->path))
			continue;
		for (guint j = 0; j < targets->len; j++) {
			const struct agent_journal_state *other =
				&((struct target *)targets->pdata[j])->wanted;

			if (i == j || !agent_journal_is_at(file, other->path)
			    || (other->kind == AGENT_JOURNAL_FILE && other->inode == file->inode))
				continue;
			(void)rename(other->path, file->path);
			break;
		}
	}
}

/* Whether the path must be removed before anything else can be created in its place. */
static bool is_in_the_way(const struct agent_journal_state *wanted)
{
	struct stat status;

	if (lstat(wanted->path, &status) != 0)
		return false;
	if (wanted->kind == AGENT_JOURNAL_ABSENT)
		return true;
	return wanted->kind != AGENT_JOURNAL_LOST
	       && (status.st_mode & S_IFMT) != (wanted->mode & S_IFMT);
}

static void report_path(struct journal *journal, const char *path, const char *reason)
{
	if (g_hash_table_add(journal->reported, g_strdup(path)))
		g_ptr_array_add(journal->problems,
		                g_strdup_printf("%s was changed and could not be put back as it "
		                                "was: %s",
		                                path, reason));
}

static void report(struct journal *journal, const struct agent_journal_state *wanted, int error)
{
	bool lost = wanted->kind == AGENT_JOURNAL_LOST;

	journal->failures += !lost;
	report_path(journal, wanted->path, lost ? wanted->reason : g_strerror(error));
}

/* Reports a path that a rank could not even record. */
static void report_trouble(struct journal *journal)
{
	char text[AGENT_JOURNAL_TROUBLE_SIZE + 1], *end;
	ssize_t count;

	if (journal->trouble < 0) {
		g_autofree char *file = below(journal, AGENT_JOURNAL_TROUBLE);

		journal->trouble = open(file, O_RDONLY | O_CLOEXEC);
	}
	if (journal->trouble < 0 || pread(journal->trouble, text, 1, 0) != 1 || *text != '/')
		return;
	count = pread(journal->trouble, text, sizeof(text) - 1, 0);
	if (count <= 0)
		return;
	text[count] = '\0';
	end = strchr(text, '\n');
	if (end)
		*end = '\0';
	report_path(journal, text, "there was no room to record its old state");
}

static void apply(struct journal *journal, const GPtrArray *targets)
{
	/* Paths below a directory are sorted after it. */
	for (guint i = targets->len; i-- > 0;) {
		const struct target *target = targets->pdata[i];

		if (is_in_the_way(&target->wanted) && agent_journal_remove(target->wanted.path) < 0)
			report(journal, &target->wanted, errno);
	}
	for (guint i = 0; i < targets->len; i++) {
		const struct target *target = targets->pdata[i];

		if (agent_journal_apply(target->directory, target->key, &target->wanted) < 0)
			report(journal, &target->wanted, errno);
	}
}

/* Marks the paths of a state as recorded: they differ from the first state. */
static void mark(const struct journal *journal, GHashTable *now, const struct journal_state *state)
{
	g_autofree char *path = below(journal, AGENT_JOURNAL_NOW);
	int directory = open_directory(path);
	GHashTableIter iterator;
	gpointer key;

	if (directory < 0)
		return;
	g_hash_table_iter_init(&iterator, now);
	while (g_hash_table_iter_next(&iterator, &key, NULL))
		if (!state || !g_hash_table_contains(state->keys, key))
			unlinkat(directory, key, 0);
	if (state)
		g_hash_table_iter_init(&iterator, state->keys);
	while (state && g_hash_table_iter_next(&iterator, &key, NULL)) {
		int fd = openat(directory, key, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		if (fd >= 0)
			close(fd);
	}
	close(directory);
}

void journal_put_back(struct journal *journal, const struct journal_state *state)
{
	g_autoptr(GHashTable) now = noted(journal);
	g_autofree char *base_path = below(journal, AGENT_JOURNAL_BASE);
	g_autoptr(GPtrArray) targets = NULL;
	int base, saved;

	report_trouble(journal);
	if (state && g_hash_table_size(state->keys) == 0)
		state = NULL;
	if (!state && g_hash_table_size(now) == 0)
		return;
	base = open_directory(base_path);
	saved = state ? open_directory(state->directory) : -1;
	targets = targets_of(now, base, state, saved);
	rename_back(targets);
	apply(journal, targets);
	mark(journal, now, state);
	if (base >= 0)
		close(base);
	if (saved >= 0)
		close(saved);
}

static bool is_key(const char *name)
{
	return strlen(name) + 1 == AGENT_JOURNAL_KEY_SIZE && !strchr(name, '.');
}

static GHashTable *all_keys(int base)
{
	GHashTable *keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	int again = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		if (is_key(entry->d_name))
			g_hash_table_add(keys, g_strdup(entry->d_name));
	}
	if (directory)
		closedir(directory);
	return keys;
}

void journal_put_back_all(struct journal *journal,
                          bool (*look)(const struct agent_journal_state *wanted, void *data),
                          void *data)
{
	g_autofree char *path = below(journal, AGENT_JOURNAL_BASE);
	int base = open_directory(path);
	g_autoptr(GHashTable) keys = NULL;
	g_autoptr(GPtrArray) targets = NULL;
	bool good = true;

	if (base < 0)
		return;
	keys = all_keys(base);
	targets = targets_of(keys, base, NULL, -1);
	journal->failures += g_hash_table_size(keys) - targets->len;
	for (guint i = 0; look && good && i < targets->len; i++)
		good = look(&((struct target *)targets->pdata[i])->wanted, data);
	if (good) {
		rename_back(targets);
		apply(journal, targets);
		report_trouble(journal);
	}
	close(base);
}

/* --- a copy for the user ---------------------------------------------------------------------- */

bool journal_keep_file(const char *path, const char *relative, const char *directory,
                       GError **error)
{
	g_autofree char *copy = g_build_filename(directory, relative, NULL);
	g_autofree char *parent = g_path_get_dirname(copy);
	struct stat status;
	int from, to = -1;
	bool good;

	if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return true;
	from = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	good = from >= 0 && g_mkdir_with_parents(parent, 0777) == 0;
	if (good)
		to = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, status.st_mode & 0777);
	good = good && to >= 0 && agent_journal_copy(from, to, G_MAXUINT64) == 0;
	if (!good)
		failed(error, "cannot copy a file of the program to", copy);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return good;
}

bool journal_keep(struct journal *journal, const char *below_path, const char *directory,
                  GError **error)
{
	g_autoptr(GHashTable) now = noted(journal);
	g_autofree char *base_path = below(journal, AGENT_JOURNAL_BASE);
	g_autofree char *prefix = g_strdup_printf("%s/", below_path);
	struct agent_journal_state state;
	GHashTableIter iterator;
	gpointer key;
	bool good = true;
	int base = open_directory(base_path);

	g_hash_table_iter_init(&iterator, now);
	while (good && g_hash_table_iter_next(&iterator, &key, NULL)) {
		const char *relative = state.path + 1;

		if (agent_journal_read(base, key, &state) < 0)
			continue;
		if (g_str_has_prefix(state.path, prefix))
			relative = state.path + strlen(prefix);
		good = journal_keep_file(state.path, relative, directory, error);
	}
	if (base >= 0)
		close(base);
	return good;
}
