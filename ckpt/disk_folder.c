#define _GNU_SOURCE
#include "disk_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent_journal.h"
#include "disk_identity.h"
#include "disk_image.h"
#include "disk_internal.h"
#include "remove_tree.h"

G_DEFINE_QUARK(matchpoint_disk_folder_error, disk_folder_error)

/* --- opening ---------------------------------------------------------------------------------- */

static bool is_users(const char *path, GError **error)
{
	struct stat status;

	if (lstat(path, &status) < 0) {
		g_set_error(error, DISK_FOLDER_ERROR, 0, "%s: %s", path, g_strerror(errno));
		return false;
	}
	if (S_ISDIR(status.st_mode) && status.st_uid == geteuid()
	    && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0)
		return true;
	g_set_error(
		error, DISK_FOLDER_ERROR, 0,
		"%s: it must be a folder of yours that nobody else can use (chmod 700): what is "
		"restarted from it runs with your rights",
		path);
	return false;
}

/* The first line has the checksum of all others. */
static const char *text_behind_sum(const char *text)
{
	const char *rest = strchr(text, '\n');
	g_autofree char *sum = rest ? g_compute_checksum_for_string(G_CHECKSUM_SHA256, rest + 1, -1)
	                            : NULL;
	g_autofree char *line = sum ? g_strdup_printf("%s %s\n", DISK_MANIFEST_HEAD, sum) : NULL;

	return line && strncmp(text, line, strlen(line)) == 0 ? rest + 1 : NULL;
}

static GKeyFile *read_manifest(const char *path, GError **error)
{
	g_autofree char *file = g_build_filename(path, DISK_MANIFEST, NULL);
	g_autofree char *text = NULL;
	g_autoptr(GKeyFile) manifest = g_key_file_new();
	const char *rest;

	if (!g_file_get_contents(file, &text, NULL, error))
		return NULL;
	rest = text_behind_sum(text);
	if (!rest || !g_key_file_load_from_data(manifest, rest, (gsize)-1, 0, NULL)) {
		g_set_error(error, DISK_FOLDER_ERROR, 0,
		            "%s: it is damaged, or of another version of matchpoint", file);
		return NULL;
	}
	return g_steal_pointer(&manifest);
}

static guint64 bytes_of(const char *path)
{
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	const char *name;
	guint64 bytes = 0;

	while (folder && (name = g_dir_read_name(folder))) {
		g_autofree char *file = g_build_filename(path, name, NULL);
		struct stat status;

		if (lstat(file, &status) == 0)
			bytes += S_ISDIR(status.st_mode) ? bytes_of(file)
			                                 : (guint64)status.st_blocks * 512;
	}
	return bytes;
}

static char *text_of(GKeyFile *manifest, const char *key)
{
	char *text = g_key_file_get_string(manifest, DISK_GROUP, key, NULL);

	return text ? text : g_strdup("");
}

static struct disk_checkpoint *open_one(const char *path, GError **error)
{
	GKeyFile *manifest = is_users(path, error) ? read_manifest(path, error) : NULL;
	struct disk_checkpoint *checkpoint;

	if (!manifest)
		return NULL;
	checkpoint = g_new0(struct disk_checkpoint, 1);
	checkpoint->path = g_canonicalize_filename(path, NULL);
	checkpoint->name = g_path_get_basename(checkpoint->path);
	checkpoint->manifest = manifest;
	checkpoint->ranks = g_key_file_get_integer(manifest, DISK_GROUP, "ranks", NULL);
	checkpoint->program = g_key_file_get_string_list(manifest, DISK_GROUP, "program", NULL,
	                                                 NULL);
	checkpoint->directory = text_of(manifest, "directory");
	checkpoint->position = text_of(manifest, "position");
	checkpoint->made = text_of(manifest, "made");
	checkpoint->why = g_key_file_get_string(manifest, DISK_GROUP, "why", NULL);
	checkpoint->bytes = bytes_of(path);
	if (checkpoint->ranks > 0 && checkpoint->program && checkpoint->program[0])
		return checkpoint;
	g_set_error(error, DISK_FOLDER_ERROR, 0, "%s: its manifest names no program", path);
	disk_checkpoint_free(checkpoint);
	return NULL;
}

bool disk_checkpoint_is_at(const char *path)
{
	g_autofree char *manifest = g_build_filename(path, DISK_MANIFEST, NULL);

	return g_file_test(manifest, G_FILE_TEST_EXISTS);
}

bool disk_folder_is_there(const char *path)
{
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	const char *name;
	bool found = disk_checkpoint_is_at(path);

	while (!found && folder && (name = g_dir_read_name(folder))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		found = *name != '.' && disk_checkpoint_is_at(below);
	}
	return found;
}

static int by_time(gconstpointer one, gconstpointer other)
{
	const struct disk_checkpoint *left = *(struct disk_checkpoint *const *)one;
	const struct disk_checkpoint *right = *(struct disk_checkpoint *const *)other;
	int order = strcmp(left->made, right->made);

	return order ? order : strcmp(left->name, right->name);
}

static void free_checkpoint(void *checkpoint)
{
	disk_checkpoint_free(checkpoint);
}

GPtrArray *disk_folder_list(const char *folder, GPtrArray **ret_wrong, GError **error)
{
	g_autoptr(GDir) opened = g_dir_open(folder, 0, error);
	GPtrArray *all;
	const char *name;

	if (ret_wrong)
		*ret_wrong = g_ptr_array_new_with_free_func(g_free);
	if (!opened)
		return NULL;
	all = g_ptr_array_new_with_free_func(free_checkpoint);
	while ((name = g_dir_read_name(opened))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autoptr(GError) wrong = NULL;
		struct disk_checkpoint *one;

		if (*name == '.' || !g_file_test(path, G_FILE_TEST_IS_DIR))
			continue;
		one = open_one(path, &wrong);
		if (one)
			g_ptr_array_add(all, one);
		else if (ret_wrong)
			g_ptr_array_add(*ret_wrong, g_strdup(wrong->message));
	}
	g_ptr_array_sort(all, by_time);
	return all;
}

struct disk_checkpoint *disk_checkpoint_open(const char *path, GError **error)
{
	g_autoptr(GPtrArray) all = NULL, wrong = NULL;

	if (disk_checkpoint_is_at(path))
		return open_one(path, error);
	all = disk_folder_list(path, &wrong, error);
	if (!all)
		return NULL;
	if (all->len > 0)
		return g_ptr_array_steal_index(all, all->len - 1);
	if (wrong->len > 0)
		g_set_error(error, DISK_FOLDER_ERROR, 0, "%s", (const char *)wrong->pdata[0]);
	else
		g_set_error(error, DISK_FOLDER_ERROR, 0,
		            "%s: there is no checkpoint in it (debug: checkpoint NAME --to DIR)",
		            path);
	return NULL;
}

void disk_checkpoint_free(struct disk_checkpoint *checkpoint)
{
	if (!checkpoint)
		return;
	g_free(checkpoint->path);
	g_free(checkpoint->name);
	g_strfreev(checkpoint->program);
	g_free(checkpoint->directory);
	g_free(checkpoint->position);
	g_free(checkpoint->made);
	g_free(checkpoint->why);
	g_key_file_unref(checkpoint->manifest);
	g_free(checkpoint);
}

/* --- checking --------------------------------------------------------------------------------- */

static char *image_of(const struct disk_checkpoint *checkpoint, int rank)
{
	g_autofree char *name = g_strdup_printf("rank.%d.img", rank);

	return g_build_filename(checkpoint->path, name, NULL);
}

/* Compares all files of a group of the manifest, which has their identities by path. `folder`: of
 * relative paths. */
static bool check_group(const struct disk_checkpoint *checkpoint, const char *group,
                        char *(*identity)(const char *path, GError **error), const char *folder,
                        const char *hint, GError **error)
{
	g_auto(GStrv) keys = g_key_file_get_keys(checkpoint->manifest, group, NULL, NULL);

	for (char **key = keys; key && *key; key++) {
		g_autofree char *name = g_uri_unescape_string(*key, NULL);
		g_autofree char *path = g_canonicalize_filename(name ? name : *key, folder);
		g_autofree char *then = g_key_file_get_string(checkpoint->manifest, group, *key,
		                                              NULL);
		g_autofree char *now = identity(path, error);

		if (!now)
			return false;
		if (g_strcmp0(then, now) == 0)
			continue;
		g_set_error(error, DISK_FOLDER_ERROR, 0, "%s: %s", path, hint);
		return false;
	}
	return true;
}

bool disk_checkpoint_check(const struct disk_checkpoint *checkpoint, bool pages, GError **error)
{
	if (!check_group(checkpoint, DISK_GROUP_OWN, disk_identity_contents, checkpoint->path,
	                 "it is damaged", error)
	    || !check_group(
		    checkpoint, DISK_GROUP_MAPPED, disk_identity_of, "/",
		    "it is not the file that the ranks had mapped: the checkpoint needs the "
		    "same program and libraries",
		    error))
		return false;
	for (int rank = 0; !checkpoint->why && rank < checkpoint->ranks; rank++) {
		g_autofree char *path = image_of(checkpoint, rank);
		g_autoptr(DiskImage) image = NULL;

		if (pages && !disk_image_check(path, error))
			return false;
		image = pages ? NULL : disk_image_open(path, error);
		if (!pages && !image)
			return false;
	}
	return true;
}

char *disk_checkpoint_base(const struct disk_checkpoint *checkpoint)
{
	g_autofree char *path = image_of(checkpoint, 0);
	g_autoptr(DiskImage) image = disk_image_open(path, NULL);
	guint count = image ? g_strv_length(image->builds_on) : 0;

	return count > 0 ? g_strdup(image->builds_on[count - 1]) : NULL;
}

/* --- removing --------------------------------------------------------------------------------- */

static bool needs(const struct disk_checkpoint *checkpoint, const char *name)
{
	for (int rank = 0; rank < checkpoint->ranks; rank++) {
		g_autofree char *path = image_of(checkpoint, rank);
		g_autoptr(DiskImage) image = disk_image_open(path, NULL);

		if (image && g_strv_contains((const char *const *)image->builds_on, name))
			return true;
	}
	return false;
}

/* The manifest goes first, so that what is left counts as nothing if this is interrupted. */
static bool remove_one(const char *path, GError **error)
{
	g_autofree char *manifest = g_build_filename(path, DISK_MANIFEST, NULL);

	if (g_unlink(manifest) == 0 && remove_tree(path))
		return true;
	g_set_error(error, DISK_FOLDER_ERROR, 0, "%s: %s", path, g_strerror(errno));
	return false;
}

bool disk_folder_remove(const char *path, GError **error)
{
	bool is_one = disk_checkpoint_is_at(path);
	g_autofree char *whole = g_canonicalize_filename(path, NULL);
	g_autofree char *folder = is_one ? g_path_get_dirname(whole) : g_strdup(whole);
	g_autofree char *name = g_path_get_basename(whole);
	g_autoptr(GPtrArray) all = disk_folder_list(folder, NULL, error);

	if (!all)
		return false;
	if (is_one) {
		for (guint i = 0; i < all->len; i++) {
			const struct disk_checkpoint *other = all->pdata[i];

			if (strcmp(other->name, name) == 0 || !needs(other, name))
				continue;
			g_set_error(error, DISK_FOLDER_ERROR, 0,
			            "%s: checkpoint %s builds on it; remove that one first", path,
			            other->name);
			return false;
		}
		return remove_one(whole, error);
	}
	if (all->len == 0) {
		g_set_error(error, DISK_FOLDER_ERROR, 0, "%s: there is no checkpoint in it", path);
		return false;
	}
	for (guint i = all->len; i-- > 0;)
		if (!remove_one(((struct disk_checkpoint *)all->pdata[i])->path, error))
			return false;
	g_rmdir(whole); /* unless something else is there */
	return true;
}

/* --- putting back ----------------------------------------------------------------------------- */

bool disk_checkpoint_put_world(const struct disk_checkpoint *checkpoint, const char *directory,
                               GError **error)
{
	g_autofree char *from = g_build_filename(checkpoint->path, DISK_WORLD, NULL);
	g_auto(GStrv)
		names = g_key_file_get_keys(checkpoint->manifest, DISK_GROUP_LINKS, NULL, NULL);

	if (!disk_copy_folder(from, directory, NULL, error))
		return false;
	for (char **name = names; name && *name; name++) {
		g_autofree char *target = g_key_file_get_string(checkpoint->manifest,
		                                                DISK_GROUP_LINKS, *name, NULL);
		g_autofree char *file = g_uri_unescape_string(*name, NULL);
		g_autofree char *old = g_build_filename(directory, target, NULL);
		g_autofree char *new = g_build_filename(directory, file, NULL);

		if (link(old, new) == 0)
			continue;
		g_set_error(error, DISK_FOLDER_ERROR, 0, "%s: %s", new, g_strerror(errno));
		return false;
	}
	return true;
}

bool disk_checkpoint_put_files(const struct disk_checkpoint *checkpoint,
                               void (*changes)(const char *path), GError **error)
{
	g_autofree char *from = g_build_filename(checkpoint->path, DISK_FILES, NULL);
	g_autoptr(GDir) folder = g_dir_open(from, 0, NULL);
	int directory = folder ? open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	const char *name;
	bool fine = true;

	while (fine && folder && (name = g_dir_read_name(folder))) {
		struct agent_journal_state state;

		if (g_str_has_suffix(name, ".data"))
			continue;
		if (agent_journal_read(directory, name, &state) < 0) {
			g_set_error(error, DISK_FOLDER_ERROR, 0, "%s/%s: it is damaged", from,
			            name);
			fine = false;
			continue;
		}
		changes(state.path);
		if (agent_journal_apply(directory, name, &state) < 0) {
			g_set_error(error, DISK_FOLDER_ERROR, 0, "%s: %s", state.path,
			            g_strerror(errno));
			fine = false;
		}
	}
	if (directory >= 0)
		close(directory);
	return fine;
}

char *disk_checkpoint_history(const struct disk_checkpoint *checkpoint, GError **error)
{
	g_autofree char *path = g_build_filename(checkpoint->path, DISK_HISTORY, NULL);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, error) ? text : NULL;
}
