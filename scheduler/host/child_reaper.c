#include "child_reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIVE_UP_US (5 * G_USEC_PER_SEC)
#define STEP_US 1000

#define PIECE 4096u

static GHashTable *spared, *kept; /* sets of pids */
static GHashTable *lists;         /* pid to a descriptor of the file that lists its children */
static GHashTable *supervised;    /* supervisor to its command; NULL: none yet */

/* Returns a descriptor of the file that lists the children of `parent`, -1 if the kernel does not
 * have it. It stays open because it is read after each interleaving. It refers to this very
 * process, even if another one gets the number later. */
static int list_of(pid_t parent)
{
	g_autofree char *file = NULL;
	void *known;
	int fd;

	if (!lists)
		lists = g_hash_table_new(NULL, NULL);
	if (g_hash_table_lookup_extended(lists, GINT_TO_POINTER(parent), NULL, &known))
		return GPOINTER_TO_INT(known);
	file = g_strdup_printf("/proc/%d/task/%d/children", (int)parent, (int)parent);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		g_hash_table_insert(lists, GINT_TO_POINTER(parent), GINT_TO_POINTER(fd));
	return fd;
}

static void close_list(pid_t parent)
{
	void *known;

	if (lists && g_hash_table_steal_extended(lists, GINT_TO_POINTER(parent), NULL, &known))
		close(GPOINTER_TO_INT(known));
}

/* Reads the whole file again. */
static GString *read_again(int fd)
{
	GString *text = g_string_sized_new(PIECE);
	char piece[PIECE];
	ssize_t count;

	while ((count = pread(fd, piece, sizeof(piece), (off_t)text->len)) > 0)
		g_string_append_len(text, piece, count);
	return text;
}

/* Appends the children of a process, except the spared ones. Appends nothing if the kernel does
 * not list children. */
static void add_children(GArray *pids, pid_t parent)
{
	int fd = list_of(parent);
	g_autoptr(GString) list = fd >= 0 ? read_again(fd) : NULL;
	char *at, *end;

	if (!list)
		return;
	for (at = list->str;; at = end) {
		pid_t pid = (pid_t)strtol(at, &end, 10);

		if (end == at)
			return;
		if (!spared || !g_hash_table_contains(spared, GINT_TO_POINTER(pid)))
			g_array_append_val(pids, pid);
	}
}

/* Returns the pids (pid_t) of our own children and of those of the supervisors. */
static GArray *children(void)
{
	GArray *pids = g_array_new(false, false, sizeof(pid_t));
	GHashTableIter iter;
	void *supervisor;

	add_children(pids, getpid());
	if (!supervised)
		return pids;
	g_hash_table_iter_init(&iter, supervised);
	while (g_hash_table_iter_next(&iter, &supervisor, NULL))
		add_children(pids, GPOINTER_TO_INT(supervisor));
	return pids;
}

void child_reaper_adopt(void)
{
	g_autoptr(GArray) before = NULL;

	if (spared)
		return;
	spared = g_hash_table_new(NULL, NULL);
	kept = g_hash_table_new(NULL, NULL);
	before = children();
	for (guint i = 0; i < before->len; i++)
		child_reaper_spare(g_array_index(before, pid_t, i), true);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void child_reaper_spare(pid_t pid, bool spare)
{
	if (spare)
		g_hash_table_add(spared, GINT_TO_POINTER(pid));
	else
		g_hash_table_remove(spared, GINT_TO_POINTER(pid));
}

void child_reaper_supervised(pid_t supervisor, pid_t command)
{
	void *before;

	if (!supervised)
		supervised = g_hash_table_new(NULL, NULL);
	before = g_hash_table_lookup(supervised, GINT_TO_POINTER(supervisor));
	child_reaper_spare(GPOINTER_TO_INT(before), false);
	close_list(supervisor); /* an earlier process may have had the same pid */
	if (command == 0) {
		g_hash_table_remove(supervised, GINT_TO_POINTER(supervisor));
		return;
	}
	child_reaper_spare(command, true);
	g_hash_table_insert(supervised, GINT_TO_POINTER(supervisor), GINT_TO_POINTER(command));
}

void child_reaper_keep(void)
{
	g_autoptr(GArray) now = children();

	for (guint i = 0; i < now->len; i++)
		g_hash_table_add(kept, GINT_TO_POINTER(g_array_index(now, pid_t, i)));
}

/* Reads the state of a process (the letter of proc(5)) and its parent. '?' and 0: there is no
 * /proc, or the process has just ended. */
static void read_stat(pid_t pid, char *ret_state, int *ret_parent)
{
	g_autofree char *file = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autofree char *text = NULL;
	const char *rest = NULL;

	if (g_file_get_contents(file, &text, NULL, NULL))
		rest = strrchr(text, ')');
	if (rest && sscanf(rest, ") %c %d", ret_state, ret_parent) == 2)
		return;
	*ret_state = '?';
	*ret_parent = 0;
}

static char state_of(pid_t pid)
{
	char state;
	int parent;

	read_stat(pid, &state, &parent);
	return state;
}

pid_t child_reaper_parent(pid_t pid)
{
	char state;
	int parent;

	read_stat(pid, &state, &parent);
	return parent;
}

bool child_reaper_is_dead(pid_t pid)
{
	char state;

	if (kill(pid, 0) < 0 && errno == ESRCH)
		return true;
	state = state_of(pid);
	return state == 'Z' || state == 'X';
}

pid_t child_reaper_tracer(pid_t pid, bool *ret_stopped)
{
	static const char label[] = "\nTracerPid:";
	g_autofree char *file = g_strdup_printf("/proc/%d/status", (int)pid);
	g_autofree char *text = NULL;
	const char *tracer;

	*ret_stopped = state_of(pid) == 't';
	if (!g_file_get_contents(file, &text, NULL, NULL))
		return 0;
	tracer = strstr(text, label);
	return tracer ? (pid_t)g_ascii_strtoll(tracer + strlen(label), NULL, 10) : 0;
}

pid_t child_reaper_debugger(pid_t pid)
{
	bool stopped;
	pid_t tracer = child_reaper_tracer(pid, &stopped);

	return stopped ? tracer : 0;
}

enum home { HOME_HERE, HOME_ELSEWHERE, HOME_NONE };

static enum home home_beside(const char *file, const char *world)
{
	gsize length = strlen(world), run = (gsize)(strrchr(world, '/') - world) + 1;

	/* If the directory was removed, " (deleted)" follows its name. */
	if (strncmp(file, world, length) == 0 && strchr("/ ", file[length]))
		return HOME_HERE;
	return strncmp(file, world, run) == 0 ? HOME_ELSEWHERE : HOME_NONE;
}

static enum home home_of_file(const char *file, const char *const *worlds)
{
	enum home home = HOME_NONE;

	for (; *worlds; worlds++)
		home = MIN(home, home_beside(file, *worlds));
	return home;
}

/* Whether the descriptor behind a link in /proc/<pid>/fd is open for writing (proc(5)). */
static bool is_writable(const char *link)
{
	struct stat status;

	return lstat(link, &status) == 0 && (status.st_mode & S_IWUSR);
}

/* Finds out in which world's directories a process has files open. `written`: counts only files
 * that it can write. */
static enum home home_of(pid_t pid, const char *const *worlds, bool written)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/fd", (int)pid);
	GDir *directory = g_dir_open(path, 0, NULL);
	enum home home = HOME_NONE;
	const char *name;

	while (directory && home != HOME_HERE && (name = g_dir_read_name(directory))) {
		g_autofree char *link = g_build_filename(path, name, NULL);
		g_autofree char *file = g_file_read_link(link, NULL);
		enum home one = file ? home_of_file(file, worlds) : HOME_NONE;

		if (written && one == HOME_HERE && !is_writable(link))
			continue;

		home = MIN(home, one);
	}
	if (directory)
		g_dir_close(directory);
	return home;
}

bool child_reaper_writes(pid_t pid, const char *directory)
{
	const char *const directories[] = {directory, NULL};

	return home_of(pid, directories, true) == HOME_HERE;
}

/* Returns false if the process cannot be killed. After its end, its children become ours or its
 * supervisor's. */
static bool end(pid_t pid)
{
	if (kill(pid, SIGKILL) < 0)
		return false;
	waitpid(pid, NULL, WNOHANG);
	return true;
}

static bool end_round(const char *const *worlds, bool all)
{
	g_autoptr(GArray) pids = children();
	bool any = false;

	for (guint i = 0; i < pids->len; i++) {
		pid_t pid = g_array_index(pids, pid_t, i);
		enum home home;

		if (worlds && g_hash_table_contains(kept, GINT_TO_POINTER(pid)))
			continue;
		home = worlds ? home_of(pid, worlds, false) : HOME_HERE;
		if (home == HOME_HERE || (home == HOME_NONE && (all || child_reaper_is_dead(pid))))
			any |= end(pid);
	}
	return any;
}

static void end_while_there_are(const char *const *worlds, bool all)
{
	gint64 deadline = g_get_monotonic_time() + GIVE_UP_US;

	while (end_round(worlds, all) && g_get_monotonic_time() < deadline)
		g_usleep(STEP_US);
}

void child_reaper_end(const char *const *world_directories, bool all)
{
	end_while_there_are(world_directories, all);
}

void child_reaper_end_all(void)
{
	end_while_there_are(NULL, true);
	if (kept)
		g_hash_table_remove_all(kept);
}
