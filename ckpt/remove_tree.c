#include "remove_tree.h"

#include <glib/gstdio.h>

bool remove_tree(const char *path)
{
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	const char *name;

	while (folder && (name = g_dir_read_name(folder))) {
		g_autofree char *file = g_build_filename(path, name, NULL);

		if (g_file_test(file, G_FILE_TEST_IS_DIR)
		    && !g_file_test(file, G_FILE_TEST_IS_SYMLINK))
			remove_tree(file);
		else
			g_unlink(file);
	}
	return g_rmdir(path) == 0;
}
