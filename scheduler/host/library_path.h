/* Finds a shared library as the dynamic linker would (ld.so(8)), without running it. */
#ifndef MATCHPOINT_SCHEDULER_HOST_LIBRARY_PATH_H
#define MATCHPOINT_SCHEDULER_HOST_LIBRARY_PATH_H

#include <glib.h>
#include <stdbool.h>

/* Where the libraries that one file needs are looked for. */
struct library_path {
	const char *rpath, *runpath; /* of that file, or NULL */
	const char *origin;          /* directory of the file */
};

/* Returns the path of the library `name` for which `fits` returns true (right machine and word
 * size). Returns NULL if there is none. Free with g_free. */
char *library_path_find(const struct library_path *path, const char *name,
                        bool (*fits)(const char *file));

#endif
