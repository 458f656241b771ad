/* Permission to trace. Under Yama's ptrace_scope 1 (Ubuntu), only ancestors of a process may trace
 * it. This permits the scheduler, and what it starts (gdb), to trace ranks. */
#ifndef MATCHPOINT_SHIM_PROCESS_TRACER_H
#define MATCHPOINT_SHIM_PROCESS_TRACER_H

#include <stdbool.h>

/* Permits the process at the other end of this connection. No effect where no permission is
 * needed. */
void tracer_allow(int connection);

/* Whether this process is being traced. Allocates nothing. */
bool tracer_is_there(void);

#endif
