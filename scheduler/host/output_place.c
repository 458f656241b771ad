#define _GNU_SOURCE
#include "output_place.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "scheduler/tools/log.h"

#define LARGE_PARENT "/var/tmp" /* on a disk also where the temporary directory is not */
#define FUSE_MAGIC 0x65735546L  /* linux/fs/fuse/inode.c */

struct output_place {
	const struct run_directory *run;
	int ranks;
	char *path;
	struct run_directory *disk; /* NULL: output is not kept there */
	bool failed;                /* it cannot be, or should not */
};

static const char *const streams[] = {"out", "err"};

/* Whether files there take memory, or a file that is removed while it is open keeps its directory
 * from being removed, as on file systems of other machines. */
static bool is_unfit(const char *parent)
{
	static const long unfit[] = {TMPFS_MAGIC,     RAMFS_MAGIC,      NFS_SUPER_MAGIC,
	                             SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,
	                             FUSE_MAGIC};
	struct statfs status;

	if (statfs(parent, &status) < 0 || access(parent, W_OK | X_OK) < 0)
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(unfit); i++)
		if ((long)status.f_type == unfit[i])
			return true;
	return false;
}

/* The first that is fit; if none is, the first. */
static const char *choose_parent(const char *store)
{
	const char *const candidates[] = {store ? store : g_get_tmp_dir(), g_get_tmp_dir(),
	                                  LARGE_PARENT};

	for (gsize i = 0; i < G_N_ELEMENTS(candidates); i++)
		if (!is_unfit(candidates[i]))
			return candidates[i];
	return candidates[0];
}

struct output_place *output_place_new(const struct run_directory *run, int ranks, const char *store)
{
	struct output_place *place = g_new0(struct output_place, 1);
	g_autofree char *name = g_path_get_basename(run_directory_path(run));
	const char *chosen = choose_parent(store);
	char *parent = realpath(chosen, NULL);

	place->run = run;
	place->ranks = ranks;
	place->path = g_build_filename(parent ? parent : chosen, name, NULL);
	if (parent)
		run_directory_remove_abandoned(parent);
	free(parent);
	return place;
}

void output_place_free(struct output_place *place)
{
	if (!place)
		return;
	run_directory_free(place->disk);
	g_free(place->path);
	g_free(place);
}

const char *output_place_path(const struct output_place *place)
{
	return place ? place->path : NULL;
}

static bool is_on_one_file_system(const struct output_place *place)
{
	g_autofree char *parent = g_path_get_dirname(place->path);
	struct stat here, there;

	return stat(run_directory_path(place->run), &here) == 0 && stat(parent, &there) == 0
	       && here.st_dev == there.st_dev;
}

bool output_place_use_disk(struct output_place *place)
{
	g_autoptr(GError) error = NULL;

	if (!place || place->disk || place->failed)
		return place && place->disk;
	if (!is_on_one_file_system(place))
		place->disk = run_directory_at(place->path, &error);
	place->failed = !place->disk;
	log_debug(LOG_SESSION, "what ranks print is %s in %s%s%s",
	          place->disk ? "kept" : "not kept", place->path, error ? ": " : "",
	          error ? error->message : "");
	return place->disk;
}

static bool set_error(GError **error, const char *what, const char *path)
{
	int code = errno;

	g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code), "cannot %s %s: %s",
	            what, path, g_strerror(code));
	return false;
}

char *output_place_file(struct output_place *place, const char *name)
{
	return run_directory_file(output_place_use_disk(place) ? place->disk : place->run, name);
}

static bool make_link(const char *target, const char *path, GError **error)
{
	unlink(path);
	return symlink(target, path) == 0 || set_error(error, "make", path);
}

static bool link_output(const struct output_place *place, const char *directory, GError **error)
{
	g_autofree char *path = g_build_filename(directory, AGENT_OUTPUT, NULL);
	g_autofree char *world = g_path_get_basename(directory);
	g_autofree char *target = run_directory_file(place->disk, world);

	return make_link(target, path, error);
}

static bool is_linked(const char *directory)
{
	g_autofree char *path = g_build_filename(directory, AGENT_OUTPUT, NULL);
	struct stat status;

	return lstat(path, &status) == 0;
}

bool output_place_begin(struct output_place *place, const char *directory, GError **error)
{
	g_autofree char *made = NULL;

	if (!place || !place->disk || is_linked(directory))
		return true;
	made = run_directory_add_world(place->disk, run_directory_world_of(directory), error);
	if (!made || !link_output(place, directory, error))
		return false;
	for (int rank = 0; rank < place->ranks; rank++)
		for (gsize i = 0; i < G_N_ELEMENTS(streams); i++) {
			g_autofree char *target = g_strdup_printf(AGENT_OUTPUT "/%s.%d", streams[i],
			                                          rank);
			g_autofree char *path = g_strdup_printf("%s/%s.%d", directory, streams[i],
			                                        rank);

			if (!make_link(target, path, error))
				return false;
		}
	return true;
}

bool output_place_renamed(struct output_place *place, const char *directory, guint32 before,
                          GError **error)
{
	g_autofree char *path = NULL;

	if (!place || !place->disk || !is_linked(directory))
		return true;
	path = run_directory_rename_world(place->disk, before, run_directory_world_of(directory),
	                                  error);
	return path && link_output(place, directory, error);
}

void output_place_remove(struct output_place *place, guint32 world)
{
	if (place && place->disk)
		run_directory_remove_world(place->disk, world);
}
