/* The files that matchpoint needs beside its program: its shim, and what else is installed in
 * LIBDIR/matchpoint. In a build directory they lie beside the program itself. An installed tree may
 * have been moved as a whole. */
#ifndef MATCHPOINT_SCHEDULER_HOST_INSTALLATION_H
#define MATCHPOINT_SCHEDULER_HOST_INSTALLATION_H

#include <glib.h>

/* The path of one of these by its name; free with g_free. NULL with `error` set: it is nowhere. */
char *installation_find(const char *name, GError **error);

#define INSTALLATION_ERROR (installation_error_quark())
GQuark installation_error_quark(void);

#endif
