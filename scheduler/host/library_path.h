/* Where the dynamic linker would find a shared library (ld.so(8)), without running it. */
#ifndef MATCHPOINT_SCHEDULER_HOST_LIBRARY_PATH_H
#define MATCHPOINT_SCHEDULER_HOST_LIBRARY_PATH_H

#include <glib.h>
#include <stdbool.h>

/* Where to look for the libraries that one file needs. */
struct library_path {
	const char *rpath, *runpath; /* of that file, or NULL */
	const char *origin;          /* its directory */
};

/* The path of library `name`, for which `fits` says yes (right machine and word size); NULL: not
 * found. Free with g_free. */
char *library_path_find(const struct library_path *path, const char *name,
                        bool (*fits)(const char *file));

#endif
