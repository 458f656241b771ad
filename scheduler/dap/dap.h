/* A debug adapter (Debug Adapter Protocol 1.65): an editor debugs one replayed rank, forwards and
 * backwards, through gdb's machine interface. docs/editors.md is for its users,
 * docs/internals/editors.md says how it works. */
#ifndef MATCHPOINT_SCHEDULER_DAP_DAP_H
#define MATCHPOINT_SCHEDULER_DAP_DAP_H

#include <glib.h>
#include <stdbool.h>

/* Serves the client that writes to descriptor `in` and reads from `out`, until it disconnects, goes
 * away, or SIGINT, SIGTERM or SIGHUP comes; then no process is left. Returns false with `error` set
 * if what the client wrote could not be read. */
bool dap_serve(int in, int out, GError **error);

#define DAP_ERROR (dap_error_quark())
GQuark dap_error_quark(void);

#endif
