/* Writes a checkpoint: into a folder without a name that counts, which is renamed when all of it is
 * on the disk. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent_disk.h"
#include "agent_journal.h"
#include "disk_folder.h"
#include "disk_identity.h"
#include "disk_image.h"
#include "disk_internal.h"
#include "remove_tree.h"

#define COPIED_AT_ONCE (1u << 20)

struct disk_draft {
	char *folder, *name, *path;
	char *base;
	GKeyFile *manifest;
	bool finished;
};

static bool fail(GError **error, const char *path)
{
	int number = errno;

	g_set_error(error, DISK_FOLDER_ERROR, 0, "%s: %s", path, g_strerror(number));
	return false;
}

/* --- folders ---------------------------------------------------------------------------------- */

/* Those that processes which are gone have left. */
static void remove_left(const char *folder)
{
	g_autoptr(GDir) opened = g_dir_open(folder, 0, NULL);
	const char *name;

	while (opened && (name = g_dir_read_name(opened))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_auto(GStrv) parts = NULL;
		guint count;
		pid_t owner;

		if (*name != '.' || !g_str_has_suffix(name, ".tmp"))
			continue;
		parts = g_strsplit(name, ".", -1);
		count = g_strv_length(parts);
		owner = count >= 4 ? (pid_t)atoi(parts[count - 2]) : 0;
		if (owner > 0 && kill(owner, 0) < 0 && errno == ESRCH)
			remove_tree(path);
	}
}

static bool is_usable(const char *name, GError **error)
{
	for (const char *at = name; *at; at++)
		if (!g_ascii_isalnum(*at) && !strchr("_-+", *at)) {
			g_set_error(
				error, DISK_FOLDER_ERROR, 0,
				"%s: the name of a checkpoint on disk has letters, digits, _, - "
				"and + only",
				name);
			return false;
		}
	if (*name && strlen(name) < 60)
		return true;
	g_set_error(error, DISK_FOLDER_ERROR, 0,
	            "a checkpoint on disk needs a name of at most 59 letters");
	return false;
}

struct disk_draft *disk_draft_new(const char *folder, const char *name, GError **error)
{
	struct disk_draft *draft;
	g_autofree char *taken = g_build_filename(folder, name, NULL);
	g_autofree char *temporary = g_strdup_printf(".%s.%d.tmp", name, (int)getpid());

	if (!is_usable(name, error))
		return NULL;
	if (g_mkdir(folder, 0700) < 0 && errno != EEXIST) {
		fail(error, folder);
		return NULL;
	}
	remove_left(folder);
	if (g_file_test(taken, G_FILE_TEST_EXISTS)) {
		g_set_error(error, DISK_FOLDER_ERROR, 0,
		            "%s: it is there already; choose another "
		            "name, or remove it (matchpoint "
		            "checkpoint remove %s)",
		            taken, taken);
		return NULL;
	}
	draft = g_new0(struct disk_draft, 1);
	draft->folder = g_canonicalize_filename(folder, NULL);
	draft->name = g_strdup(name);
	draft->path = g_build_filename(draft->folder, temporary, NULL);
	draft->manifest = g_key_file_new();
	remove_tree(draft->path);
	if (g_mkdir(draft->path, 0700) == 0)
		return draft;
	fail(error, draft->path);
	disk_draft_free(draft);
	return NULL;
}

void disk_draft_free(struct disk_draft *draft)
{
	if (!draft)
		return;
	if (!draft->finished)
		remove_tree(draft->path);
	g_key_file_unref(draft->manifest);
	g_free(draft->folder);
	g_free(draft->name);
	g_free(draft->path);
	g_free(draft->base);
	g_free(draft);
}

const char *disk_draft_path(const struct disk_draft *draft)
{
	return draft->path;
}

guint64 disk_draft_written(const struct disk_draft *draft, int ranks)
{
	guint64 bytes = 0;

	for (int rank = 0; rank < ranks; rank++) {
		g_autofree char *path = g_strdup_printf("%s/rank.%d.img", draft->path, rank);
		struct stat status;

		if (stat(path, &status) == 0)
			bytes += (guint64)status.st_size;
	}
	return bytes;
}

char *disk_draft_trouble(const char *directory, int rank)
{
	g_autofree char *path = g_strdup_printf("%s/" AGENT_DISK_TROUBLE ".%d", directory, rank);
	char *text = NULL;

	if (g_file_get_contents(path, &text, NULL, NULL) && *text)
		return text;
	g_free(text);
	return NULL;
}

GKeyFile *disk_draft_manifest(struct disk_draft *draft)
{
	return draft->manifest;
}

const char *disk_draft_base(const struct disk_draft *draft, int ranks, char **program)
{
	struct disk_draft *changed = (struct disk_draft *)draft;
	g_autoptr(GPtrArray) all = disk_folder_list(draft->folder, NULL, NULL);

	g_clear_pointer(&changed->base, g_free);
	for (guint i = all ? all->len : 0; i-- > 0 && !changed->base;) {
		const struct disk_checkpoint *one = all->pdata[i];

		if (one->ranks == ranks && !one->why
		    && g_strv_equal((const char *const *)one->program, (const char *const *)program)
		    && disk_checkpoint_check(one, false, NULL))
			changed->base = g_strdup(one->name);
	}
	return changed->base ? changed->base : "";
}

/* --- files ------------------------------------------------------------------------------------ */

static bool put_all(int fd, const char *bytes, gsize size, off_t at)
{
	while (size > 0) {
		ssize_t put = pwrite(fd, bytes, size, at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		bytes += put;
		at += put;
		size -= (gsize)put;
	}
	return true;
}

static bool copy_range(int from, int to, off_t at, off_t end)
{
	g_autofree char *part = g_malloc(COPIED_AT_ONCE);

	while (at < end) {
		ssize_t got = pread(from, part, MIN(COPIED_AT_ONCE, (gsize)(end - at)), at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0;
		if (!put_all(to, part, (gsize)got, at))
			return false;
		at += got;
	}
	return true;
}

static bool copy_file(const char *from, const char *to, GError **error)
{
	int source = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), target = -1;
	struct stat status;
	bool fine = source >= 0 && fstat(source, &status) == 0;

	target = fine ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	fine = target >= 0 && ftruncate(target, status.st_size) == 0;
	for (off_t at = 0, data; fine && at < status.st_size; at = lseek(source, data, SEEK_HOLE)) {
		data = lseek(source, at, SEEK_DATA);
		if (data < 0)
			break; /* only a hole is left */
		fine = copy_range(source, target, data, lseek(source, data, SEEK_HOLE));
	}
	fine = fine && fsync(target) == 0;
	if (!fine)
		fail(error, source < 0 ? from : to);
	if (source >= 0)
		close(source);
	if (target >= 0)
		close(target);
	return fine;
}

static bool copy_named(const char *from, const char *to, const char *name, GHashTable *copied,
                       GKeyFile *links, GError **error)
{
	g_autofree char *source = g_build_filename(from, name, NULL);
	g_autofree char *target = g_build_filename(to, name, NULL);
	g_autofree char *key = g_uri_escape_string(name, NULL, false);
	const char *first;
	struct stat status;

	if (lstat(source, &status) < 0)
		return fail(error, source);
	if (!S_ISREG(status.st_mode))
		return true;
	first = g_hash_table_lookup(copied, GSIZE_TO_POINTER(status.st_ino));
	if (first && links) {
		g_key_file_set_string(links, DISK_GROUP_LINKS, key, first);
		return true;
	}
	g_hash_table_insert(copied, GSIZE_TO_POINTER(status.st_ino), g_strdup(name));
	return copy_file(source, target, error);
}

bool disk_copy_folder(const char *from, const char *to, GKeyFile *links, GError **error)
{
	g_autoptr(GHashTable) copied = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_autoptr(GDir) folder = g_dir_open(from, 0, error);
	const char *name;

	if (!folder)
		return false;
	while ((name = g_dir_read_name(folder)))
		if (!g_str_has_prefix(name, AGENT_DISK_TROUBLE)
		    && !copy_named(from, to, name, copied, links, error))
			return false;
	return true;
}

bool disk_draft_add_world(struct disk_draft *draft, const char *directory, GError **error)
{
	g_autofree char *world = g_build_filename(draft->path, DISK_WORLD, NULL);

	if (g_mkdir(world, 0700) < 0)
		return fail(error, world);
	return disk_copy_folder(directory, world, draft->manifest, error);
}

static bool write_file(const char *path, const char *text, gsize size, GError **error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool fine = fd >= 0 && put_all(fd, text, size, 0) && fsync(fd) == 0;

	if (!fine)
		fail(error, path);
	if (fd >= 0)
		close(fd);
	return fine;
}

bool disk_draft_add_history(struct disk_draft *draft, const GString *history, GError **error)
{
	g_autofree char *path = g_build_filename(draft->path, DISK_HISTORY, NULL);

	return write_file(path, history->str, history->len, error);
}

bool disk_draft_add_files(struct disk_draft *draft, const GPtrArray *paths, GError **error)
{
	g_autofree char *path = g_build_filename(draft->path, DISK_FILES, NULL);
	int directory;
	bool fine = true;

	if (g_mkdir(path, 0700) < 0)
		return fail(error, path);
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (guint i = 0; fine && i < paths->len; i++) {
		struct agent_journal_state state;
		char key[AGENT_JOURNAL_KEY_SIZE];

		agent_journal_key(paths->pdata[i], key);
		fine = agent_journal_capture(directory, key, paths->pdata[i], false) == 0
		       && agent_journal_read(directory, key, &state) == 0;
		if (!fine) {
			fail(error, paths->pdata[i]);
		} else if (state.kind == AGENT_JOURNAL_LOST) {
			g_set_error(error, DISK_FOLDER_ERROR, 0,
			            "%s, which the program has changed: %s",
			            (const char *)paths->pdata[i], state.reason);
			fine = false;
		}
	}
	if (directory >= 0)
		close(directory);
	return fine;
}

/* --- the manifest ----------------------------------------------------------------------------- */

static bool sync_folder(const char *path, GError **error)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool fine = fd >= 0 && fsync(fd) == 0;

	if (!fine)
		fail(error, path);
	if (fd >= 0)
		close(fd);
	return fine;
}

/* Identities of all files below a folder of the checkpoint, except images: these have their own
 * checksums. And all is on the disk. */
static bool note_files(struct disk_draft *draft, const char *below, GError **error)
{
	g_autofree char *path = g_build_filename(draft->path, below, NULL);
	g_autoptr(GDir) folder = g_dir_open(path, 0, error);
	const char *name;

	if (!folder)
		return false;
	while ((name = g_dir_read_name(folder))) {
		g_autofree char *relative = *below ? g_build_filename(below, name, NULL)
		                                   : g_strdup(name);
		g_autofree char *file = g_build_filename(draft->path, relative, NULL);
		g_autofree char *key = g_uri_escape_string(relative, NULL, false);
		g_autofree char *identity = NULL;

		if (g_file_test(file, G_FILE_TEST_IS_SYMLINK))
			continue;
		if (g_file_test(file, G_FILE_TEST_IS_DIR)) {
			if (!note_files(draft, relative, error))
				return false;
			continue;
		}
		if (g_str_has_suffix(name, ".img"))
			continue;
		identity = disk_identity_contents(file, error);
		if (!identity)
			return false;
		g_key_file_set_string(draft->manifest, DISK_GROUP_OWN, key, identity);
	}
	return sync_folder(path, error);
}

/* `files`: char *. */
static bool note_mapped(struct disk_draft *draft, const GPtrArray *files, GError **error)
{
	for (guint i = 0; i < files->len; i++) {
		const char *path = files->pdata[i];
		g_autofree char *key = g_uri_escape_string(path, "/", false);
		g_autofree char *identity = NULL;

		if (g_key_file_has_key(draft->manifest, DISK_GROUP_MAPPED, key, NULL))
			continue;
		identity = disk_identity_of(path, error);
		if (!identity)
			return false;
		g_key_file_set_string(draft->manifest, DISK_GROUP_MAPPED, key, identity);
	}
	return true;
}

static bool note_images(struct disk_draft *draft, int ranks, GError **error)
{
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
	g_auto(GStrv) programs = NULL;

	for (int rank = 0; rank < ranks; rank++) {
		g_autofree char *name = g_strdup_printf("rank.%d.img", rank);
		g_autofree char *path = g_build_filename(draft->path, name, NULL);
		g_autoptr(DiskImage) image = disk_image_open(path, error);

		if (!image || !note_mapped(draft, image->files, error))
			return false;
		g_strv_builder_add(builder, image->program);
	}
	programs = g_strv_builder_end(builder);
	g_key_file_set_string_list(draft->manifest, DISK_GROUP, "executables",
	                           (const char *const *)programs, (gsize)ranks);
	return true;
}

bool disk_draft_leave_ranks_out(struct disk_draft *draft, const char *why,
                                const GPtrArray *programs, GError **error)
{
	g_key_file_set_string(draft->manifest, DISK_GROUP, "why", why);
	return note_mapped(draft, programs, error);
}

static bool has_ranks(const struct disk_draft *draft)
{
	return !g_key_file_has_key(draft->manifest, DISK_GROUP, "why", NULL);
}

static bool write_manifest(const struct disk_draft *draft, GError **error)
{
	g_autofree char *path = g_build_filename(draft->path, DISK_MANIFEST, NULL);
	g_autofree char *text = g_key_file_to_data(draft->manifest, NULL, NULL);
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	g_autofree char *all = g_strdup_printf("%s %s\n%s", DISK_MANIFEST_HEAD, sum, text);

	return write_file(path, all, strlen(all), error);
}

bool disk_draft_finish(struct disk_draft *draft, int ranks, char **ret_path, GError **error)
{
	g_autofree char *path = g_build_filename(draft->folder, draft->name, NULL);
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *made = g_date_time_format(now, "%Y-%m-%dT%H:%M:%S.%fZ");

	g_key_file_set_string(draft->manifest, DISK_GROUP, "made", made);
	g_key_file_set_integer(draft->manifest, DISK_GROUP, "ranks", ranks);
	if (!note_files(draft, "", error) || (has_ranks(draft) && !note_images(draft, ranks, error))
	    || !write_manifest(draft, error) || !sync_folder(draft->path, error))
		return false;
	if (g_rename(draft->path, path) < 0)
		return fail(error, path);
	draft->finished = sync_folder(draft->folder, error);
	if (draft->finished)
		*ret_path = g_strdup(path);
	else
		g_rename(path, draft->path); /* it will be removed */
	return draft->finished;
}
