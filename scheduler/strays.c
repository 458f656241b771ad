#include "strays.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACE "/dev/shm"
#define PREFIX "mpich_shar_tmp"
#define STALE_SECONDS 30 /* MPICH unlinks them within milliseconds */

static GHashTable *list_now(void)
{
	GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GDir *directory = g_dir_open(PLACE, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		if (g_str_has_prefix(name, PREFIX))
			g_hash_table_add(names, g_strdup(name));
	}
	if (directory)
		g_dir_close(directory);
	return names;
}

/* Whether some process has the file mapped (those of other users cannot be asked, nor be ours). */
static gboolean in_use(const char *path)
{
	GDir *processes = g_dir_open("/proc", 0, NULL);
	gboolean found = FALSE;
	const char *pid;

	while (processes && !found && (pid = g_dir_read_name(processes))) {
		g_autofree char *file = g_strdup_printf("/proc/%s/maps", pid);
		g_autofree char *maps = NULL;

		if (g_ascii_isdigit(*pid) && g_file_get_contents(file, &maps, NULL, NULL))
			found = strstr(maps, path) != NULL;
	}
	if (processes)
		g_dir_close(processes);
	return found;
}

/* Removes one if it is this user's, at least so many seconds old, and in nobody's use. */
static void remove_one(const char *name, gint64 seconds)
{
	g_autofree char *path = g_build_filename(PLACE, name, NULL);
	struct stat status;

	if (g_stat(path, &status) == 0 && status.st_uid == getuid()
	    && g_get_real_time() / G_USEC_PER_SEC - status.st_mtime >= seconds && !in_use(path))
		g_unlink(path);
}

GHashTable *strays_list(void)
{
	g_autoptr(GHashTable) names = list_now();
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, names);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		remove_one(name, STALE_SECONDS);
	return list_now();
}

void strays_remove(GHashTable *before)
{
	g_autoptr(GHashTable) now = list_now();
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, now);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		if (!g_hash_table_contains(before, name))
			remove_one(name, 0);
	}
}
