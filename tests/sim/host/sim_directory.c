#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim_host.h"

static char *made; /* the most recent one */

static void remove_all(const char *directory)
{
	GDir *open = g_dir_open(directory, 0, NULL);
	const char *name;

	while (open && (name = g_dir_read_name(open))) {
		g_autofree char *path = g_build_filename(directory, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_DIR))
			remove_all(path);
		else
			g_unlink(path);
	}
	if (open)
		g_dir_close(open);
	g_rmdir(directory);
}

static void remove_made(void)
{
	remove_all(made);
	g_clear_pointer(&made, g_free);
}

char *sim_directory_new(void)
{
	if (!made)
		atexit(remove_made);
	g_free(made);
	made = g_build_filename(g_access("/dev/shm", W_OK) == 0 ? "/dev/shm" : g_get_tmp_dir(),
	                        "matchpoint-sim-XXXXXX", NULL);
	g_assert_nonnull(g_mkdtemp(made));
	return g_strdup(made);
}
