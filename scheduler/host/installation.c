#include "installation.h"

#include <stdbool.h>
#include <unistd.h>
#include <uv.h>

G_DEFINE_QUARK(matchpoint_installation_error, installation_error)

char *installation_find(const char *name, GError **error)
{
	char program[4096] = "matchpoint";
	size_t size = sizeof(program);
	bool is_known = uv_exepath(program, &size) == 0;
	g_autofree char *beside = is_known ? g_path_get_dirname(program) : NULL;
	g_autofree char *moved =
		is_known ? g_canonicalize_filename(MATCHPOINT_LIBRARIES_FROM_BIN, beside) : NULL;
	const char *const folders[] = {beside, moved, MATCHPOINT_LIBRARIES_INSTALLED};

	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *file = folders[i] ? g_build_filename(folders[i], name, NULL)
		                                   : NULL;

		if (file && access(file, R_OK) == 0)
			return g_steal_pointer(&file);
	}
	g_set_error(error, INSTALLATION_ERROR, 0,
	            "%s is neither beside %s nor in %s from there nor in %s: reinstall matchpoint",
	            name, program, MATCHPOINT_LIBRARIES_FROM_BIN, MATCHPOINT_LIBRARIES_INSTALLED);
	return NULL;
}
