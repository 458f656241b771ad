#define _GNU_SOURCE
#include "run_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "environment.h"
#include "mpi_runtime.h"

#define PREFIX "matchpoint-"
#define LOCK "lock"
#define LOCK_NEW "lock.new"
#define SOCKET_PATH_MAX (sizeof(((struct sockaddr_un *)0)->sun_path))
#define BYTES_PER_RANK ((guint64)300 << 10) /* measured: 1.1 MB for 4 ranks, 4.5 MB for 16 */
#define WORLDS_AT_LEAST 4
#define USUAL_PARENT "/dev/shm"
#define LARGE_PARENT "/var/tmp" /* on a disk also where the temporary directory is not */
#define STARTING_S 60           /* limit between mkdir and the lock, usually microseconds apart */

struct run_directory {
	char *path;
	int ranks;
	int lock;
};

static bool G_GNUC_PRINTF(3, 4) failed(GError **error, int code, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error_literal(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code), text);
	return false;
}

/* Removes the file behind a link of RUN_DIRECTORY_SHARED: a job that was killed while it started
 * has left it. */
static void remove_shared(int at, const char *name)
{
	const char *shared = mpi_runtime_usual()->shared_files;
	char file[64];
	ssize_t length = readlinkat(at, name, file, sizeof(file) - 1);

	if (length < 0)
		return;
	file[length] = '\0';
	if (g_str_has_prefix(file, shared) && !strchr(file + strlen(shared), '/'))
		unlink(file);
}

/* Removes `name` in the directory `at`, and everything below it. Follows no symbolic links except
 * those to the MPI library's files. */
static void remove_at(int at, const char *name)
{
	int fd;
	DIR *directory;
	struct dirent *entry;

	if (g_str_has_prefix(name, RUN_DIRECTORY_SHARED))
		remove_shared(at, name);
	if (unlinkat(at, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
		return;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	directory = fdopendir(fd);
	if (!directory) {
		close(fd);
		return;
	}
	while ((entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			remove_at(fd, entry->d_name);
	closedir(directory);
	unlinkat(at, name, AT_REMOVEDIR);
}

/* Whether the directory may be so new that it has no lock yet. The pid in its name may have no
 * meaning here: the owner can be in a container that shares the parent directory. */
static bool is_starting(int parent, const char *name)
{
	pid_t pid = (pid_t)g_ascii_strtoll(name + strlen(PREFIX), NULL, 10);
	struct stat status;

	return (pid > 0 && (kill(pid, 0) == 0 || errno == EPERM))
	       || (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0
	           && status.st_ctime + STARTING_S > g_get_real_time() / G_USEC_PER_SEC);
}

/* Whether the owner still holds the lock. `dead`: the owner is known to be dead. */
static bool owner_lives(int parent, const char *name, bool dead)
{
	g_autofree char *lock = g_build_filename(name, LOCK, NULL);
	int fd = openat(parent, lock, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool locked;

	if (fd < 0)
		return !dead && is_starting(parent, name);
	locked = flock(fd, LOCK_EX | LOCK_NB) < 0;
	close(fd);
	return locked;
}

static bool is_ours(int parent, const char *name)
{
	struct stat status;

	return g_str_has_prefix(name, PREFIX) && g_ascii_isdigit(name[strlen(PREFIX)])
	       && fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0
	       && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

void run_directory_remove_abandoned(const char *parent)
{
	int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autoptr(GDir) directory = g_dir_open(parent, 0, NULL);
	const char *name;

	while (fd >= 0 && directory && (name = g_dir_read_name(directory)))
		if (is_ours(fd, name) && !owner_lives(fd, name, false))
			remove_at(fd, name);
	if (fd >= 0)
		close(fd);
}

/* A directory of `owner` may still be locked, by a process that is just dying or just starting. */
static void list_left_by(pid_t owner, const char *parent, GPtrArray *paths, bool *held)
{
	int fd = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	g_autoptr(GDir) directory = fd >= 0 ? g_dir_open(parent, 0, NULL) : NULL;
	g_autofree char *prefix = owner ? g_strdup_printf(PREFIX "%d-", (int)owner)
	                                : g_strdup(PREFIX);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		if (!g_str_has_prefix(name, prefix) || !is_ours(fd, name))
			continue;
		if (owner_lives(fd, name, owner > 0))
			*held = true;
		else
			g_ptr_array_add(paths, g_build_filename(parent, name, NULL));
	}
	if (fd >= 0)
		close(fd);
}

char **run_directory_left_by(pid_t owner, const char *place, bool *ret_held)
{
	GPtrArray *paths = g_ptr_array_new();

	*ret_held = false;
	list_left_by(owner, g_getenv(ENVIRONMENT_RUNDIR), paths, ret_held);
	list_left_by(owner, place, paths, ret_held);
	list_left_by(owner, USUAL_PARENT, paths, ret_held);
	list_left_by(owner, g_getenv("XDG_RUNTIME_DIR"), paths, ret_held);
	list_left_by(owner, g_get_tmp_dir(), paths, ret_held);
	if (strcmp(g_get_tmp_dir(), LARGE_PARENT) != 0)
		list_left_by(owner, LARGE_PARENT, paths, ret_held);
	g_ptr_array_add(paths, NULL);
	return (char **)g_ptr_array_free(paths, false);
}

void run_directory_remove(const char *path)
{
	remove_at(AT_FDCWD, path);
}

static guint64 free_bytes(const char *path)
{
	struct statvfs status;

	return statvfs(path, &status) < 0 ? 0 : (guint64)status.f_bavail * status.f_frsize;
}

/* Whether the parent has enough room, after abandoned directories are removed. */
static bool check_parent(const char *parent, guint64 needed, GError **error)
{
	gsize longest = strlen(parent) + strlen("/" PREFIX "4194304-XXXXXX/" RUN_DIRECTORY_SOCKET)
	                + 1;

	if (!g_path_is_absolute(parent))
		return failed(error, EINVAL, "%s: not an absolute path", parent);
	if (access(parent, W_OK | X_OK) < 0)
		return failed(error, errno, "%s: %s", parent, g_strerror(errno));
	run_directory_remove_abandoned(parent);
	if (longest > SOCKET_PATH_MAX)
		return failed(
			error, ENAMETOOLONG,
			"%s: too long for the path of a socket in it (at most %zu characters)",
			parent, SOCKET_PATH_MAX - (longest - strlen(parent)));
	if (free_bytes(parent) < needed)
		return failed(error, ENOSPC, "%s: %.1f MB free, %.1f MB needed", parent,
		              (double)free_bytes(parent) / 1e6, (double)needed / 1e6);
	return true;
}

static char *choose_parent(guint64 needed, GError **error)
{
	const char *wanted = g_getenv(ENVIRONMENT_RUNDIR);
	const char *candidates[] = {USUAL_PARENT, g_getenv("XDG_RUNTIME_DIR"), g_get_tmp_dir()};
	g_autoptr(GString) reasons = g_string_new(NULL);

	if (wanted && *wanted) {
		GError *reason = NULL;

		/* Some may have been made while the variable was not set. */
		if (strcmp(wanted, USUAL_PARENT) != 0)
			run_directory_remove_abandoned(USUAL_PARENT);
		if (check_parent(wanted, needed, &reason))
			return g_strdup(wanted);
		g_propagate_prefixed_error(error, reason, "cannot use $" ENVIRONMENT_RUNDIR ": ");
		return NULL;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(candidates); i++) {
		g_autoptr(GError) reason = NULL;

		if (!candidates[i])
			continue;
		if (check_parent(candidates[i], needed, &reason))
			return g_strdup(candidates[i]);
		g_string_append_printf(reasons, "\n  %s", reason->message);
	}
	failed(error, ENOSPC,
	       "no place for the ranks' shared memory:%s\nEnlarge /dev/shm (docker run "
	       "--shm-size=256m), or set " ENVIRONMENT_RUNDIR " to a directory on tmpfs",
	       reasons->str);
	return NULL;
}

/* The lock file gets its name only after it is locked. Otherwise another start could take the
 * directory for abandoned. */
static int take_lock(const char *path)
{
	g_autofree char *lock = g_build_filename(path, LOCK, NULL);
	g_autofree char *new_lock = g_build_filename(path, LOCK_NEW, NULL);
	int fd = open(new_lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) < 0 || rename(new_lock, lock) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static guint64 bytes_needed(int ranks)
{
	return (guint64)MAX(ranks, 1) * BYTES_PER_RANK * WORLDS_AT_LEAST;
}

char *run_directory_elsewhere(const struct run_directory *directory)
{
	const char *const candidates[] = {g_get_tmp_dir(), LARGE_PARENT};
	const char *wanted = g_getenv(ENVIRONMENT_RUNDIR);
	struct statvfs full;
	struct stat here, there;
	guint64 needed;

	if ((wanted && *wanted) || statvfs(directory->path, &full) < 0
	    || stat(directory->path, &here) < 0)
		return NULL;
	needed = MAX(bytes_needed(directory->ranks), (guint64)full.f_blocks * full.f_frsize);
	for (gsize i = 0; i < G_N_ELEMENTS(candidates); i++)
		if (stat(candidates[i], &there) == 0 && there.st_dev != here.st_dev
		    && check_parent(candidates[i], needed, NULL))
			return g_strdup(candidates[i]);
	return NULL;
}

/* The directory has just been made. */
static struct run_directory *take(const char *path, int ranks, GError **error)
{
	struct run_directory *directory;
	int lock = take_lock(path);

	if (lock < 0) {
		failed(error, errno, "cannot write in %s: %s", path, g_strerror(errno));
		remove_at(AT_FDCWD, path);
		return NULL;
	}
	directory = g_new0(struct run_directory, 1);
	directory->path = g_strdup(path);
	directory->ranks = MAX(ranks, 1);
	directory->lock = lock;
	return directory;
}

struct run_directory *run_directory_new(int ranks, const char *wanted, GError **error)
{
	g_autofree char *parent = NULL, *path = NULL;

	parent = wanted ? g_strdup(wanted) : choose_parent(bytes_needed(ranks), error);
	if (!parent)
		return NULL;
	path = g_strdup_printf("%s%s" PREFIX "%d-XXXXXX", parent,
	                       g_str_has_suffix(parent, "/") ? "" : "/", (int)getpid());
	if (!g_mkdtemp_full(path, 0700)) {
		failed(error, errno, "cannot make a directory in %s: %s", parent,
		       g_strerror(errno));
		return NULL;
	}
	return take(path, ranks, error);
}

struct run_directory *run_directory_at(const char *path, GError **error)
{
	if (mkdir(path, 0700) < 0) {
		failed(error, errno, "cannot make %s: %s", path, g_strerror(errno));
		return NULL;
	}
	return take(path, 1, error);
}

void run_directory_free(struct run_directory *directory)
{
	g_autofree char *parent = NULL;

	if (!directory)
		return;
	remove_at(AT_FDCWD, directory->path);
	close(directory->lock);
	rmdir(directory->path); /* NFS removes no file that is open, and no directory before it */
	/* Supervisors may have held the locks of other directories when this run began. */
	parent = g_path_get_dirname(directory->path);
	run_directory_remove_abandoned(parent);
	g_free(directory->path);
	g_free(directory);
}

const char *run_directory_path(const struct run_directory *directory)
{
	return directory->path;
}

guint64 run_directory_room(const struct run_directory *directory)
{
	return free_bytes(directory->path);
}

int run_directory_lock(const struct run_directory *directory)
{
	return directory->lock;
}

char *run_directory_file(const struct run_directory *directory, const char *name)
{
	return g_build_filename(directory->path, name, NULL);
}

static char *world_path(const struct run_directory *directory, guint32 world)
{
	return g_strdup_printf("%s/w%u", directory->path, world);
}

guint32 run_directory_world_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] == 'w' ? (guint32)g_ascii_strtoull(slash + 2, NULL, 10) : 0;
}

char *run_directory_add_world(struct run_directory *directory, guint32 world, GError **error)
{
	g_autofree char *path = world_path(directory, world);

	if (mkdir(path, 0700) < 0) {
		failed(error, errno, "cannot make %s: %s", path, g_strerror(errno));
		return NULL;
	}
	return g_steal_pointer(&path);
}

char *run_directory_rename_world(struct run_directory *directory, guint32 from, guint32 to,
                                 GError **error)
{
	g_autofree char *before = world_path(directory, from), *path = world_path(directory, to);

	if (rename(before, path) < 0) {
		failed(error, errno, "cannot rename %s: %s", before, g_strerror(errno));
		return NULL;
	}
	return g_steal_pointer(&path);
}

void run_directory_remove_world(struct run_directory *directory, guint32 world)
{
	g_autofree char *path = world_path(directory, world);

	remove_at(AT_FDCWD, path);
}
