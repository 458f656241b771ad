/* The files that matchpoint needs beside its program: the shim, and the rest of
 * LIBDIR/matchpoint. In a build directory they lie beside the program. An installed tree may have
 * been moved as a whole. */
#ifndef MATCHPOINT_SCHEDULER_HOST_INSTALLATION_H
#define MATCHPOINT_SCHEDULER_HOST_INSTALLATION_H

#include <glib.h>

/* Returns the path of one of these files; free with g_free. Returns NULL with `error` set if it
 * is not found. */
char *installation_find(const char *name, GError **error);

#define INSTALLATION_ERROR (installation_error_quark())
GQuark installation_error_quark(void);

#endif
