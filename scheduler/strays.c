#include "strays.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACE "/dev/shm"
#define PREFIX "mpich_shar_tmp"

GHashTable *strays_list(void)
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

void strays_remove(GHashTable *before)
{
	g_autoptr(GHashTable) now = strays_list();
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, now);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		g_autofree char *path = g_build_filename(PLACE, name, NULL);
		struct stat status;

		if (!g_hash_table_contains(before, name) && g_stat(path, &status) == 0
		    && status.st_uid == getuid() && !in_use(path))
			g_unlink(path);
	}
}
