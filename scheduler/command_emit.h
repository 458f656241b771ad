/* minimize --emit-c. */
#ifndef MATCHPOINT_SCHEDULER_COMMAND_EMIT_H
#define MATCHPOINT_SCHEDULER_COMMAND_EMIT_H

#include <glib.h>

/* Writes a C program that shows finding 1 of the store of a minimization, with as few ranks and
 * calls as do: each cut is compiled and explored. `seconds`: cuts no more after so many. FALSE with
 * `error` set: the finding cannot be shown by MPI calls alone, or the program not be compiled or
 * written. */
gboolean command_emit_c(const char *store, const char *file, double seconds, GError **error);

#endif
