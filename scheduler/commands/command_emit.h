/* minimize --emit-c. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EMIT_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EMIT_H

#include <stdbool.h>

#include "scheduler/session/session.h"

/* Whether it is worth minimizing the finding (NULL: not known yet) for it. */
bool command_may_emit_c(const struct record_finding *finding, const char *file, GError **error);

/* Writes a C program that shows finding 1 of the store of a minimization, with as few ranks and
 * calls as do: each cut is compiled and explored. `seconds`: cuts no more after so many. What was
 * written, in words (free with g_free); NULL with `error` set: the finding cannot be shown by MPI
 * calls alone, or the program not be compiled or written. */
char *command_emit_c(const struct session_options *session, const char *file, double seconds,
                     GError **error);

#endif
