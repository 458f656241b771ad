/* minimize --emit-c: writes a small C program that shows a finding. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EMIT_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EMIT_H

#include <stdbool.h>

#include "scheduler/session/session.h"

/* Whether the finding can be written to `file`, before it is minimized for that. `finding` NULL:
 * not known yet. false: `error` is set. */
bool command_may_emit_c(const struct record_finding *finding, const char *file, GError **error);

/* Writes a C program that shows finding 1 of a minimization's store, with as few ranks and calls as
 * possible. Each cut is compiled and explored; no cut is tried after `seconds`. Returns a
 * description of what was written (free with g_free). NULL with `error` set: MPI calls alone do not
 * show the finding, or the program cannot be compiled or written. */
char *command_emit_c(const struct session_options *session, const char *file, double seconds,
                     GError **error);

#endif
